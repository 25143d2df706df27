// Runs the calls in node: `node node.mjs FILE.wasm`.
import { readFile } from "node:fs/promises";

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
for (const [call, expected] of [["calls", 6], ["own_pool", 1], ["calls", 6]]) {
  const got = instance.exports[call]();
  console.log(`${call}: ${got === expected ? "ok" : `${got} in place of ${expected}`}`);
  process.exitCode ||= got === expected ? 0 : 1;
}
