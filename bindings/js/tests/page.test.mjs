// The example page in a browser: two STL files, one dragged into the other; and a worker with the verdicts of Node.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import test from "node:test";
import { Chromium, findChromium } from "./chromium.mjs";
import { PACKAGE, cube, noliModule, poses, stl, torus } from "./support.mjs";

const program = findChromium();
// NOLI_POSES makes a campaign of it.
const { NOLI_ROOT, NOLI_POSES = "3000" } = process.env;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves the example, the package where its import map looks for it, and two files. */
function served(files) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    try {
      const place = pathname.startsWith("/node_modules/noli/")
        ? path.join(PACKAGE, pathname.slice("/node_modules/noli/".length))
        : path.join(NOLI_ROOT, "examples/web", pathname === "/" ? "index.html" : pathname);
      const body = files[pathname] ?? (await readFile(place));
      response.writeHead(200, { "content-type": TYPES[path.extname(place)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const WORKER = `
  const { load } = await import(INDEX);
  onmessage = async ({ data }) => {
    const noli = await load();
    const [a, b] = data.meshes.map((mesh) => noli.mesh(mesh));
    postMessage(noli.overlapBatch(a.at(), b, data.poses));
  };
  postMessage("ready");`;

test("page and worker in Chromium", { skip: program && NOLI_ROOT ? false : "no Chromium" }, async () => {
  const files = { "/a.stl": stl(torus(1, 0.4, 40, 20)), "/b.stl": stl(cube) };
  const all = poses(Number(NOLI_POSES), 2.4, 0.2, 77);
  const meshes = [torus(1, 0.4, 24, 12), cube];
  const worker = { "/worker.js": WORKER.replace("INDEX", JSON.stringify("/node_modules/noli/dist/index.js")) };
  const server = await served({ ...files, ...worker });
  const root = `http://127.0.0.1:${server.address().port}`;
  const browser = new Chromium(program);
  try {
    await browser.open(`${root}/?a=a.stl&b=b.stl`);
    const verdict = `document.getElementById("answer")?.dataset.verdict`;
    await browser.until(`${verdict} === "separated"`);
    const text = await browser.value(`document.getElementById("answer").value`);
    const clearance = Number(text.match(/clearance ([\d.]+)\.$/)[1]);
    const noli = await noliModule.load();
    const [a, b] = ["/a.stl", "/b.stl"].map((file) => noli.read(files[file], file, { solid: true }));
    const size = ({ min, max }) => Math.hypot(...max.map((x, axis) => x - min[axis]));
    const gap = 0.1 * (size(a.bounds) + size(b.bounds));
    const there = b.at({ translation: [a.bounds.max[0] - b.bounds.min[0] + gap, 0, 0] });
    assert.equal(clearance, Number(noli.clearance(a.at(), there).atMost.toPrecision(6)));
    // B follows the mouse to the middle of A; every step queries anew.
    await browser.drag([531, 323], [400, 285], 25);
    await browser.until(`${verdict} === "colliding"`);
    await browser.drag([400, 285], [700, 350], 25);
    await browser.until(`${verdict} === "separated"`);

    const input = `{ meshes: ${JSON.stringify(meshes.map(({ vertices, triangles }) => ({
      vertices: [...vertices], triangles: [...triangles] })))}, poses: ${JSON.stringify([...all])} }`;
    const found = await browser.value(`new Promise((resolve, reject) => {
      const worker = new Worker("/worker.js", { type: "module" });
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data }) => data === "ready" ? worker.postMessage(${input}) : resolve([...data]);
    })`);
    const [first, second] = meshes.map((mesh) => noli.mesh(mesh));
    assert.deepEqual(found, [...noli.overlapBatch(first.at(), second, all)]);
    assert.deepEqual(browser.errors, []);
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
});
