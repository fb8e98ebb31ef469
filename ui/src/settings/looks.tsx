/** What the pet looks like: the skins that it can wear, and choosing one. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { SkinPicture } from "../avatar/pet_avatar";
import type { SkinInfo } from "../bindings";
import { Fault } from "../components/controls";
import { Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { errorOf, errorText, t } from "../texts";

type Act = (action: () => Promise<{ skins: SkinInfo[] }>) => Promise<void>;

/** Return the listed skins, and a function that changes them by a command or shows why it failed. */
export function useSkins() {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listSkins(), [store.settingsChange.value]);
  const [failed, setFailed] = useState("");
  const newest = useRef(0);
  const act: Act = async (action) => {
    newest.current += 1;
    const mine = newest.current;
    setFailed(""); // now, not with its answer: that may come after the next one's refusal
    try {
      const { skins } = await action();
      if (mine === newest.current) loaded.set({ skins });
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
  };
  const wear = (skin: SkinInfo) => void act(() => store.commands.chooseSkin({ skin: skin.id }));
  return { loaded, skins: loaded.value?.skins, failed, setFailed, act, wear };
}

interface ListProps {
  of: ReturnType<typeof useSkins>;
  /** more of a skin, below its name */
  credits?: (skin: SkinInfo) => ComponentChildren;
  /** what else can be done with it */
  more?: (skin: SkinInfo) => ComponentChildren;
}

export function SkinCards({ of, credits, more }: ListProps) {
  return (
    <>
      {of.failed && (
        <Fault>
          <p>{of.failed}</p>
        </Fault>
      )}
      <Loading of={of.loaded} lines={3} />
      <ul class="wardrobe">
        {of.skins?.map((skin) => (
          <li key={skin.id} class={skin.current ? "skin current" : "skin"}>
            <SkinButton skin={skin} onChoose={() => of.wear(skin)}>
              {credits?.(skin)}
            </SkinButton>
            {skin.problem && <p class="error-text">{errorText(skin.problem)}</p>}
            {skin.notes.map((note) => (
              <p key={errorText(note)} class="note">
                {errorText(note)}
              </p>
            ))}
            {more?.(skin)}
          </li>
        ))}
      </ul>
    </>
  );
}

function SkinButton(props: { skin: SkinInfo; onChoose: () => void; children: ComponentChildren }) {
  const { name, description, problem, current } = props.skin;
  const [live, setLive] = useState(false);
  return (
    <button
      type="button"
      class="skin-main"
      aria-pressed={current}
      disabled={problem !== null}
      data-tip={description}
      onClick={props.onChoose}
      onPointerEnter={() => setLive(true)}
      onPointerLeave={() => setLive(false)}
      onFocus={() => setLive(true)}
      onBlur={() => setLive(false)}
    >
      <SkinPicture skin={props.skin} live={live && !problem} />
      <span class="title">{name}</span>
      {props.children}
    </button>
  );
}

/** Our own bodies, where no extra lists more. */
export function Looks() {
  const skins = useSkins();
  return (
    <section class="skins" aria-label={t("ui.skins.title")}>
      <h3>{t("ui.skins.title")}</h3>
      <SkinCards of={skins} />
    </section>
  );
}
