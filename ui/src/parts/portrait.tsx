/** The pet's picture where the page is still empty. Our own drawing, as a data address: the page loads nothing. */
import drawing from "@assets/pet/creature.svg?raw";
import { compose } from "../pet/creature";

const PICTURE = `data:image/svg+xml,${encodeURIComponent(compose(drawing, { ms: 0 }))}`;

export function Portrait({ size = 132 }: { size?: number }) {
  return <img class="portrait" src={PICTURE} width={size} height={Math.round((size * 208) / 192)} alt="" />;
}
