/** A skin in the Codex pet format. */
import type { SkinSheet } from "../../bindings";

export const animation = (name: string, frames: number[], milliseconds = frames.map(() => 120)) => ({
  name,
  frames,
  milliseconds,
});

export const SHEET: SkinSheet = {
  skin: "cat",
  stamp: "1",
  image: "data:image/png;base64,",
  frame_width: 192,
  frame_height: 208,
  columns: 8,
  animations: [
    animation("idle", [0, 1, 2]),
    animation("jumping", [32, 33]),
    animation("failed", [40, 41]),
    animation("running", [56, 57]),
    animation("running-left", [16]),
  ],
  looks: [],
  pixelated: false,
};
