// A server of the example, the package and some files, and a worker that tests poses in a browser.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { PACKAGE } from "./support.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const ROOT = new URL("../../../examples/web", import.meta.url).pathname;

/** Serves the example, the package where its import map looks for it, and two files. */
export function served(files) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    try {
      const place = pathname.startsWith("/node_modules/noli/")
        ? path.join(PACKAGE, pathname.slice("/node_modules/noli/".length))
        : path.join(ROOT, pathname === "/" ? "index.html" : pathname);
      const body = files[pathname] ?? (await readFile(place));
      response.writeHead(200, { "content-type": TYPES[path.extname(place)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const INDEX = JSON.stringify("/node_modules/noli/dist/index.js");

/** The worker, as a file of the server: its answer has the verdicts and milliseconds. */
export const WORKER = {
  "/worker.js": `
    const { load } = await import(${INDEX});
    onmessage = async ({ data }) => {
      const noli = await load();
      const [a, b] = data.meshes.map((mesh) => noli.mesh(mesh));
      // The compiler of the browser optimises while queries run.
      noli.overlapBatch(a.at(), b, data.poses.slice(0, 7 * 2000));
      const start = performance.now();
      const verdicts = noli.overlapBatch(a.at(), b, data.poses);
      postMessage({ verdicts: [...verdicts], ms: performance.now() - start });
    };
    postMessage("ready");`,
};

/** Tests two meshes at poses in a worker of an open page, that of `WORKER` or another. */
export function inWorker(browser, meshes, poses, file = "/worker.js") {
  const plain = meshes.map(({ vertices, triangles }) => ({ vertices: [...vertices], triangles: [...triangles] }));
  return browser.value(`new Promise((resolve, reject) => {
    const worker = new Worker(${JSON.stringify(file)}, { type: "module" });
    worker.onerror = (event) => reject(new Error(event.message));
    const input = { meshes: ${JSON.stringify(plain)}, poses: ${JSON.stringify([...poses])} };
    worker.onmessage = ({ data }) => data === "ready" ? worker.postMessage(input) : resolve(data);
  })`);
}
