/** A body's picture at rest, as a data address: the page loads nothing. */
import { portraitOf } from "../pet/drawing/bodies";

export function Portrait({ size = 132, body = "" }: { size?: number; body?: string }) {
  return <img class="portrait" src={portraitOf(body)} width={size} height={Math.round((size * 208) / 192)} alt="" />;
}
