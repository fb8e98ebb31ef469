/** The row of something that this desktop can't do: one quiet line that says why, in the place of its control. */
export function Absent({ label, why }: { label: string; why: string }) {
  return (
    <div class="setting absent">
      <span class="absent-name">{label}</span>
      <p class="note">{why}</p>
    </div>
  );
}
