/** The shipped personalities to choose from, each with the body that comes with it. */

import { Portrait } from "../../avatar/portrait";
import type { TemplateInfo } from "../../bindings";
import { t } from "../../texts";
import "../../components/option.css";
import "./soul_gallery.css";

interface Props {
  souls: TemplateInfo[];
  chosen: string;
  onChoose: (soul: TemplateInfo) => void;
}

export function SoulGallery({ souls, chosen, onChoose }: Props) {
  return (
    <fieldset class="gallery">
      <legend class="sr">{t("welcome.who.gallery")}</legend>
      {souls.map((soul) => (
        <label key={soul.id} class={soul.id === chosen ? "soul-card chosen" : "soul-card"}>
          <input
            type="radio"
            class="sr"
            name="personality"
            checked={soul.id === chosen}
            onChange={() => onChoose(soul)}
          />
          {soul.body && <Portrait size={72} body={soul.body} />}
          <span class="option-name">{soul.title}</span>
          <span class="note">{soul.about}</span>
        </label>
      ))}
    </fieldset>
  );
}
