/** The pet's picture where the page is still empty. Our own drawing, as a data address: the page loads nothing. */
import drawing from "@assets/pet/pet.svg?raw";

const HIDDEN = "[data-show]:not([data-show~=neutral]),.eyes-shut,.hearts{display:none}";
const PICTURE = `data:image/svg+xml,${encodeURIComponent(drawing.replace("<defs>", `<style>${HIDDEN}</style><defs>`))}`;

export function Portrait({ size = 132 }: { size?: number }) {
  return <img class="portrait" src={PICTURE} width={size} height={Math.round((size * 208) / 192)} alt="" />;
}
