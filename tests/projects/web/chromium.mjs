// Runs the cases in a headless Chromium: `node chromium.mjs FOLDER CHROMIUM`, of what wasm-bindgen has made.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";

const [folder, chromium] = process.argv.slice(2);
/// How long all of it may take, in milliseconds.
const DEADLINE = 300_000;
const kinds = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

/// Where the file of a request's path is: beside this one, or in the folder.
function place(path) {
  const name = path === "/" ? "page.html" : basename(path);
  return join(path.startsWith("/page/") ? folder : import.meta.dirname, name);
}

async function answer(request, response) {
  const path = new URL(request.url, "http://page").pathname;
  if (request.method === "POST") {
    let text = "";
    for await (const part of request) text += part;
    response.end();
    if (path === "/say") console.log(text);
    else end(text === "0" ? 0 : 1);
    return;
  }
  const content = await readFile(place(path)).catch(() => null);
  if (content === null) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": kinds[extname(place(path))] ?? "text/plain" }).end(content);
}

const server = createServer(answer);
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const profile = mkdtempSync(join(tmpdir(), "page-"));
const flags = ["--headless", "--disable-gpu", "--no-first-run", `--user-data-dir=${profile}`];
// Its sandbox refuses the super-user.
if (process.getuid?.() === 0) flags.push("--no-sandbox");
const browser = spawn(chromium, [...flags, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
browser.on("error", (error) => fail(`${chromium} can't be run: ${error.message}`));
browser.on("exit", () => fail("the browser has ended before its page"));
const timer = setTimeout(() => fail("the page hangs"), DEADLINE);

function fail(why) {
  console.log(why);
  end(1);
}

function end(status) {
  clearTimeout(timer);
  browser.removeAllListeners();
  const leave = () => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    process.exit(status);
  };
  browser.on("exit", leave);
  // One that never ran, or has ended, tells of no end any more.
  if (browser.exitCode !== null || !browser.kill()) leave();
}
