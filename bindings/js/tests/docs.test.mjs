// The programs of the page about the package and of its README run as they are shown.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { cube, noliModule, stl } from "./support.mjs";

const AsyncFunction = (async () => {}).constructor;

/** Code blocks of a page in a language, without the import of the package. */
function blocks(page, language) {
  const text = readFileSync(path.join(process.env.NOLI_ROOT, page), "utf8");
  const found = [...text.matchAll(new RegExp("```" + language + "\\n([^]*?)```", "g"))].map((match) => match[1]);
  assert.ok(found.length > 0, page);
  return found.map((block) => block.replace(/^import .*$/m, ""));
}

test("programs of the documentation run", { skip: process.env.NOLI_ROOT ? false : "no NOLI_ROOT" }, async () => {
  const printed = [];
  const names = {
    load: noliModule.load,
    bytesOfFile: stl(cube),
    fetch: async () => ({ arrayBuffer: async () => stl(cube).buffer }),
    console: { log: (...values) => printed.push(values) },
  };
  for (const block of [...blocks("docs/javascript.md", "js"), ...blocks("bindings/js/README.md", "ts")]) {
    await new AsyncFunction(...Object.keys(names), block)(...Object.values(names));
  }
  const [atLeast, atMost] = printed[0];
  assert.ok(atLeast <= 4 && atMost >= 4 && atMost - atLeast < 1e-12, `${atLeast} to ${atMost}`);
});
