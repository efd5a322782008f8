import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";

/** The page leaves as one file of this name: script, style and WebAssembly stand inside it. */
const pageName = "attention.html";

function nameThePage(): Plugin {
  return {
    name: "name-the-page",
    enforce: "post",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) if (file.fileName === "index.html") file.fileName = pageName;
    },
  };
}

export default defineConfig({
  plugins: [svelte(), viteSingleFile({ removeViteModuleLoader: true }), nameThePage()],
  server: { fs: { allow: [".", "../build/page"] } }, // where the engine lies
  build: {
    outDir: "../build/page",
    emptyOutDir: false, // the engine's own files lie there too
    target: "es2022",
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    reportCompressedSize: true,
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false, // one browser at a time: the tests measure frames
  },
});
