/** Accessibility faults of a page by axe. jsdom has no layout and no colours: contrast is checked in pictures. */
import axe from "axe-core";

export async function faults(root: Element): Promise<string[]> {
  const results = await axe.run(root, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  return results.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).join(" ")}`);
}
