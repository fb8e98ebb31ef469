/** The folders that the program uses, with what is in each. */
import type { Place } from "../bindings";
import { CopyButton, IconButton } from "../components/controls";
import { Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { bytes, t } from "../texts";

export function PlaceList() {
  const store = useStore();
  const places = useLoad(() => store.commands.listPlaces());
  if (!places.value) return <Loading of={places} lines={6} />;
  return (
    <ul class="places">
      {places.value.places.map((place) => (
        <PlaceRow key={place.name} place={place} />
      ))}
    </ul>
  );
}

function PlaceRow({ place }: { place: Place }) {
  const store = useStore();
  const name = t(`desktop.place.${place.name}`);
  const open = t("desktop.place.open", { name });
  return (
    <li>
      <div data-tip={t(`desktop.place.${place.name}_note`)}>
        <strong>{name}</strong>
        <code>{place.path}</code>
        <span class="note amount">{amount(place)}</span>
      </div>
      <CopyButton text={place.path} label={t("ui.privacy.copy_path")} />
      <IconButton
        icon="folder"
        label={open}
        onClick={() => void store.notices.attempt(() => store.commands.openFolder({ place: place.name }))}
      />
    </li>
  );
}

function amount({ files, bytes: size }: Place): string {
  if (files === 0) return t("desktop.place.empty");
  return t("desktop.place.size", { files, size: bytes(size) });
}
