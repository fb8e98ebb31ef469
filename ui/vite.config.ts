/** The development server (`npm run dev`, then chat.html?fake) and vitest. The shipped pages: build/pages.mjs. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: { alias: { "@texts": here("../pet/i18n"), "@assets": here("../assets") } },
  server: { host: "127.0.0.1", fs: { allow: [here("..")] } },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/tests/setup.ts"],
    // A limit for what hangs, not a measure: axe takes seconds where every core is busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
