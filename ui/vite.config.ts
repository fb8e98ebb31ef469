/** The development server (`npm run dev`, then chat.html?fake) and vitest. The shipped pages: build/pages.mjs. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Loads a page of jsdom's own, which its place in a shared worker has not all for. */
const OWN_PAGE = "src/tests/markdown/built_page.test.tsx";
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    alias: { "@texts": here("../pet/i18n"), "@extras": here("../pet/extras"), "@assets": here("../assets") },
  },
  server: { host: "127.0.0.1", fs: { allow: [here("..")] } },
  test: {
    environment: "jsdom",
    // One jsdom for each worker: a new one for each file took a third of the time. Each file has a context of its own.
    pool: "vmThreads",
    maxWorkers: "100%",
    projects: [
      { extends: true, test: { name: "pages", include: ["src/**/*.test.{ts,tsx}"], exclude: [OWN_PAGE] } },
      { extends: true, test: { name: "built", include: [OWN_PAGE], pool: "forks" } },
    ],
    setupFiles: ["src/tests/setup.ts"],
    // A limit for what hangs, not a measure: axe takes seconds where every core is busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
