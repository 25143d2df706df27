// Runs the cases in node: `node node.mjs FOLDER`, of what wasm-bindgen has made.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { runAll } from "./cases.mjs";

const folder = pathToFileURL(`${resolve(process.argv[2])}/`);
const wasm = await WebAssembly.compile(await readFile(new URL("my_page_bg.wasm", folder)));
let loaded = 0;

const failed = await runAll({
  hasWindow: false,
  say: (line) => console.log(line),
  async load() {
    const module = await import(new URL(`my_page.js?${loaded++}`, folder));
    await module.default({ module_or_path: wasm });
    return module;
  },
  onError(tell) {
    process.on("uncaughtException", tell);
    return () => process.off("uncaughtException", tell);
  },
});
process.exit(failed === 0 ? 0 : 1);
