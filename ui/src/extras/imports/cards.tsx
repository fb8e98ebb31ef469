/**
 * Character cards: import with a preview of every change (settings and first start), and export. A card's content is
 * text; nothing in it is loaded or run.
 */
import type { Signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import type { CardPreview, GivenFile } from "../../bindings";
import { DiffView } from "../../components/diff";
import { Icon } from "../../components/icons";
import { Menu } from "../../components/menu";
import { Dialog } from "../../components/overlays";
import { useDropZone } from "../../input/drops";
import { LARGEST, packFile } from "../../ipc/upload";
import { useStore } from "../../state/context";
import { errorOf, errorText, number } from "../../texts";
import "./cards.css";
import { HiddenCharacters, Refusal, Tick } from "../../components/controls";
import { t } from "./words";

/** A card dropped on the pet, until it is answered, and the conversation that it may be attached to. */
export interface OfferedCard {
  conversation: string;
  file: GivenFile;
  card: CardPreview;
}

interface Props {
  /** a card that was given already */
  given?: OfferedCard;
  /** the soul was written, or is the same already; with the card's name */
  onTaken: (name: string, changed: boolean) => void;
}

interface Opened {
  file: GivenFile;
  card: CardPreview;
  instructions: boolean;
}

interface Choice {
  pictures: boolean;
  each: boolean;
}

export function CardImport({ given: first, onTaken }: Props) {
  const store = useStore();
  const [opened, setOpened] = useState<Opened | null>(first ? { ...first, instructions: false } : null);
  const [failed, setFailed] = useState<string>("");
  const [busy, setBusy] = useState(false);
  const [again, setAgain] = useState(false);
  const given = useRef(0);

  async function preview(file: GivenFile, instructions: boolean): Promise<void> {
    const mine = ++given.current;
    setBusy(true);
    setFailed("");
    try {
      const card = await store.commands.previewCard({ file, instructions });
      if (mine === given.current) setOpened({ file, instructions, card });
    } catch (thrown) {
      if (mine === given.current) setFailed(errorText(errorOf(thrown)));
    }
    if (mine === given.current) setBusy(false);
  }

  function refuse(why: string): void {
    given.current += 1;
    setOpened(null);
    setBusy(false);
    setFailed(why);
  }

  async function pick(list: FileList | null): Promise<void> {
    const file = list?.[0];
    if (!file) return;
    setAgain(false);
    if (file.size > LARGEST) return refuse(t("card.too_large", { limit: number(LARGEST / 1_000_000) }));
    const mine = ++given.current;
    const read = await packFile(file).catch(() => null); // a folder, or a file that is gone
    if (mine !== given.current) return;
    if (read) await preview(read, false);
    else refuse(t("cards.unreadable"));
  }

  async function take({ file, card, instructions }: Opened, { pictures, each }: Choice): Promise<void> {
    setBusy(true);
    try {
      const chosen = { instructions, ...(pictures && { pictures }), ...(each && { each_greeting: each }) };
      const reply = await store.commands.importCard({ file, base: card.base, ...chosen });
      if (reply.outcome === "conflict") {
        setAgain(true);
        await preview(file, instructions);
      } else {
        onTaken(card.name, reply.outcome === "saved");
      }
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
    setBusy(false);
  }

  return (
    <div class="card-import">
      <Drop small={opened !== null} onFiles={(list) => void pick(list)} />
      <div role="status">
        {busy && !opened && <p class="quiet-text">{t("card.reading")}</p>}
        {failed && <p class="error-text">{failed}</p>}
        {again && <p class="note">{t("card.conflict")}</p>}
      </div>
      {opened && !failed && (
        <Preview
          opened={opened}
          busy={busy}
          onInstructions={(ticked) => void preview(opened.file, ticked)}
          onTake={(choice) => void take(opened, choice)}
        />
      )}
    </div>
  );
}

function Drop({ small, onFiles }: { small: boolean; onFiles: (list: FileList | null) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const { over, zone } = useDropZone(
    () => true,
    (transfer) => onFiles(transfer?.files ?? null),
  );
  return (
    <div class={`card-drop${over ? " over" : ""}${small ? " small" : ""}`} {...zone}>
      {!small && (
        <>
          <Icon name="user" />
          <p>{t("card.drop")}</p>
        </>
      )}
      <button type="button" onClick={() => field.current?.click()}>
        {t(small ? "card.other" : "card.pick")}
      </button>
      <input
        ref={field}
        type="file"
        class="sr"
        tabIndex={-1}
        aria-hidden="true"
        accept=".png,.json,.charx"
        onChange={(event) => {
          onFiles(event.currentTarget.files);
          event.currentTarget.value = "";
        }}
      />
    </div>
  );
}

interface PreviewProps {
  opened: Opened;
  busy: boolean;
  onInstructions: (ticked: boolean) => void;
  onTake: (choice: Choice) => void;
}

function Preview({ opened, busy, onInstructions, onTake }: PreviewProps) {
  const { card, instructions } = opened;
  const [pictures, setPictures] = useState(hasPictures(card));
  const [each, setEach] = useState(false);
  return (
    <section class="card-preview" aria-label={card.name}>
      <div class="card-head">
        {card.portrait && <Picture image={card.portrait} alt={t("card.portrait", { name: card.name })} />}
        <p class="card-name">{t("card.preview", { name: card.name })}</p>
      </div>
      {card.newer && <p class="note">{t("card.newer")}</p>}
      <HiddenCharacters count={card.hidden_characters} />
      <DiffView diff={card.diff} label={t("card.preview", { name: card.name })} />
      {card.greetings[0] && (
        <figure class="card-says">
          <figcaption class="quiet-text">{t("card.greeting")}</figcaption>
          <blockquote>{spoken(card.greetings[0])}</blockquote>
        </figure>
      )}
      {card.greetings.length > 1 && <Greetings all={card.greetings} each={each} busy={busy} onEach={setEach} />}
      {hasPictures(card) && <Dress card={card} ticked={pictures} busy={busy} onTick={setPictures} />}
      {card.remote_pictures > 0 && <p class="note">{t("card.remote", { count: number(card.remote_pictures) })}</p>}
      {card.lore_left > 0 && <p class="note">{t("card.lore", { count: number(card.lore_left) })}</p>}
      {card.notes && (
        <details class="card-notes">
          <summary>{t("card.notes")}</summary>
          <p>{card.notes}</p>
        </details>
      )}
      {card.has_instructions && (
        <Tick
          label={t("card.instructions")}
          note={t("card.instructions_note")}
          checked={instructions}
          disabled={busy}
          onChange={onInstructions}
        />
      )}
      <div class="row end">
        <button type="button" class="primary" disabled={busy} onClick={() => onTake({ pictures, each })}>
          {t("card.use")}
        </button>
      </div>
    </section>
  );
}

function hasPictures(card: CardPreview): boolean {
  return card.pictures.length > 0 || card.portrait !== "";
}

/** Return a greeting as it will be shown: the card's user is the owner. */
function spoken(greeting: string): string {
  return greeting.replaceAll("{{user}}", t("card.you"));
}

/** The card's other greetings, and whether they rotate. */
function Greetings(props: { all: string[]; each: boolean; busy: boolean; onEach: (each: boolean) => void }) {
  const others = props.all.slice(1);
  return (
    <>
      <details class="card-notes">
        <summary>{t("card.greetings", { count: number(others.length) })}</summary>
        {others.map((text) => (
          <p key={text}>{spoken(text)}</p>
        ))}
      </details>
      <Tick label={t("card.greetings_all")} checked={props.each} disabled={props.busy} onChange={props.onEach} />
    </>
  );
}

/** The card's pictures as a skin: small copies made by the core. */
function Dress(props: { card: CardPreview; ticked: boolean; busy: boolean; onTick: (ticked: boolean) => void }) {
  const { pictures } = props.card;
  const count = Math.max(1, pictures.length);
  return (
    <>
      {pictures.length > 0 && (
        <ul class="card-moods">
          {pictures.map(({ name, image }) => (
            <li key={name}>
              <Picture image={image} alt="" />
              <span>{name}</span>
            </li>
          ))}
        </ul>
      )}
      <Tick
        label={t("card.pictures")}
        note={t("card.pictures_note", { count })}
        checked={props.ticked}
        disabled={props.busy}
        onChange={props.onTick}
      />
    </>
  );
}

/** Only images made by the core are drawn. */
function Picture({ image, alt }: { image: string; alt: string }) {
  return image.startsWith("data:image/webp;base64,") ? <img src={image} alt={alt} /> : null;
}

/** A menu beside the soul: it becomes a card, or comes from one. */
export function Cards() {
  const store = useStore();
  const [open, setOpen] = useState(false);

  async function exported(): Promise<void> {
    const done = await store.notices.attempt(() => store.commands.exportCard());
    if (done) store.notices.tell(t("card.exported", { path: done.path }), "downloads");
  }

  return (
    <>
      <Menu
        label={t("card.title")}
        items={[
          { label: t("card.import"), icon: "user", onChoose: () => setOpen(true) },
          { label: t("card.export"), icon: "forward", onChoose: () => void exported() },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {open && <CardDialog onClose={() => setOpen(false)} />}
    </>
  );
}

/** The dialog that imports a card. */
function CardDialog({ given, onClose }: { given?: OfferedCard; onClose: () => void }) {
  const { notices } = useStore();
  return (
    <Dialog title={t("card.title")} onClose={onClose} wide>
      <CardImport
        {...(given && { given })}
        onTaken={(name, changed) => {
          onClose();
          notices.tell(changed ? t("card.used", { name }) : t("card.same"));
        }}
      />
    </Dialog>
  );
}

/** Asks what becomes of a character card that was dropped on the pet. */
export function CardOffer({ offers }: { offers: Signal<OfferedCard | null> }) {
  const offered = offers.value;
  const close = () => {
    offers.value = null;
  };
  return offered && <Offer key={offered.file} offered={offered} close={close} />;
}

function Offer({ offered, close }: { offered: OfferedCard; close: () => void }) {
  const store = useStore();
  const { conversation, file, card } = offered;
  const { name } = card;
  const pet = store.app.value?.pet_name ?? "";
  const [replaces, setReplaces] = useState(false);
  const [pictures, setPictures] = useState(hasPictures(card));
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState("");

  async function create(): Promise<void> {
    setBusy(true);
    setFailed("");
    try {
      await store.commands.createPetFromCard({ file, pictures });
      close();
      store.navigation.openSettings("me");
      store.notices.tell(t("card.created", { name }));
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
    setBusy(false);
  }

  if (replaces) {
    return <CardDialog given={offered} onClose={close} />;
  }
  return (
    <Dialog title={t("card.offer_title", { name })} onClose={close}>
      <div class="card-preview">
        <div class="card-head">
          {card.portrait && <Picture image={card.portrait} alt={t("card.portrait", { name })} />}
          <p>{t("card.offer_text", { name, pet })}</p>
        </div>
        <HiddenCharacters count={card.hidden_characters} />
        <details class="card-notes">
          <summary>{t("card.preview", { name })}</summary>
          <p>{card.soul}</p>
        </details>
        {hasPictures(card) && <Dress card={card} ticked={pictures} busy={busy} onTick={setPictures} />}
        <Refusal why={failed} />
        <div class="row">
          <button type="button" class="primary" disabled={busy} onClick={() => void create()}>
            {t("card.offer_new")}
          </button>
          <button type="button" disabled={busy} onClick={() => setReplaces(true)}>
            {t("card.offer_soul", { pet })}
          </button>
          <button
            type="button"
            disabled={busy}
            onClick={() => {
              close();
              void store.attachments.addGiven(conversation, [file]);
            }}
          >
            {t("card.offer_attach")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
