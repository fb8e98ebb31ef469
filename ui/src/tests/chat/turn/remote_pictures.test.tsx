import { describe, expect, it } from "vitest";
import { PICTURE, turnView } from "../../../ipc/fake";
import { faults } from "../../axe";
import { button, find, type Mounted, mountApp, settle } from "../../render";

const ADDRESS = "https://xn--bcher-kva.example:8443/cat.png?soul=Mochi%20likes%20tea";
const REPLY = "Look: ![a sleeping cat](https://bücher.example:8443/cat.png?soul=Mochi%20likes%20tea)";

function talk(...replies: string[]): Promise<Mounted> {
  return mountApp((core) => {
    const turns = replies.map((reply, at) => turnView(`t${at + 1}`, "show me", reply));
    for (const id of ["c1", "c2"]) core.addConversation({ id, title: id }, turns);
    core.app = {
      ...core.app,
      tabs: ["c1", "c2"].map((conversation) => ({ conversation, draft: "", scroll: 0, attachments: [] })),
      active_tab: "c1",
    };
  });
}

const asked = ({ core }: Mounted) => core.called("load_picture");
const clickLoad = ({ root }: Mounted) => settle(() => button(root, "Load picture").click());

describe("a picture that a reply points to", () => {
  it("is named with its whole host and address, and asked for by nobody", async () => {
    const page = await talk(REPLY);
    const card = find(page.root, ".no-image");
    expect(card.textContent).toContain("a sleeping cat");
    expect(find(card, ".address").textContent).toBe("xn--bcher-kva.example:8443");
    for (const each of card.querySelectorAll<HTMLElement>(".address, button"))
      expect(each.dataset["tip"]).toBe(ADDRESS);
    expect(find(card, ".words").dataset["tip"]).toContain(ADDRESS);
    expect(page.root.querySelector(".md img")).toBeNull();
    expect(asked(page)).toEqual([]);
    expect(await faults(page.root)).toEqual([]);
  });

  it("comes on a click, with its words for who can't see it, and large on another", async () => {
    const page = await talk(REPLY);
    const load = button(page.root, "Load picture");
    load.focus();
    await clickLoad(page);
    expect(asked(page)).toEqual([{ conversation: "c1", turn: "t1", address: ADDRESS }]);
    const shown = find<HTMLImageElement>(page.root, ".remote-image img");
    expect(shown.getAttribute("src")).toBe(PICTURE);
    expect(shown.alt).toBe("Open a sleeping cat");
    expect(document.activeElement).toBe(shown.parentElement);
    expect(find(page.root, ".remote-image [role=status]").textContent).toBe("Picture loaded");
    expect(find(page.root, ".remote-image .address").textContent).toBe("xn--bcher-kva.example:8443");
    await settle(() => shown.parentElement?.click());
    expect(find<HTMLImageElement>(page.root, "dialog .whole-picture").alt).toBe("a sleeping cat");
    expect(await faults(page.root)).toEqual([]);
  });

  it("stays where it was loaded, and is a placeholder everywhere else", async () => {
    const page = await talk(REPLY, REPLY);
    await clickLoad(page);
    expect(page.root.querySelectorAll(".remote-image")).toHaveLength(1);
    expect(page.root.querySelectorAll(".no-image")).toHaveLength(1);
    await settle(() => (page.store.active.value = "c2"));
    expect(page.root.querySelector(".remote-image")).toBeNull();
    await settle(() => (page.store.active.value = "c1"));
    expect(page.root.querySelectorAll(".remote-image")).toHaveLength(1);
    expect(asked(page)).toHaveLength(1);
  });

  it("says that it is on its way, and is asked for once", async () => {
    const page = await talk(REPLY);
    const answer = page.core.hold("load_picture");
    await clickLoad(page);
    const waiting = button(page.root, "Loading…");
    expect(waiting.getAttribute("aria-disabled")).toBe("true");
    await settle(() => waiting.click());
    expect(asked(page)).toHaveLength(1);
    await settle(answer);
    expect(page.root.querySelector(".remote-image img")).not.toBeNull();
  });

  it("says why it did not come, and can be asked for again", async () => {
    const page = await talk(REPLY);
    page.core.fail("load_picture", {
      code: "fetch_address_private",
      args: { host: "router.example", limit: 20 },
      retryable: false,
    });
    await clickLoad(page);
    expect(find(page.root, ".no-image .why").textContent).toContain("router.example is in your own network");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Try again").click());
    expect(page.root.querySelector(".remote-image img")).not.toBeNull();
    expect(asked(page)).toHaveLength(2);
  });

  it("goes with its conversation", async () => {
    const page = await talk(REPLY);
    await clickLoad(page);
    await settle(() => page.core.emit({ type: "conversation_deleted", conversation: "c1" }));
    expect(page.store.pictures.of("c1", "t1").at(ADDRESS).value.is).toBe("closed");
  });

  it("does not come any more once its conversation is gone", async () => {
    const page = await talk(REPLY);
    const answer = page.core.hold("load_picture");
    await clickLoad(page);
    await settle(() => page.core.emit({ type: "conversation_deleted", conversation: "c1" }));
    await settle(answer);
    expect(page.store.pictures.of("c1", "t1").at(ADDRESS).value.is).toBe("closed");
  });
});
