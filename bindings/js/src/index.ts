/**
 * Exact collision, distance and continuous-collision queries in browsers, workers and Node.
 *
 * ```ts
 * const noli = await load();
 * const a = noli.read(await (await fetch("a.stl")).arrayBuffer(), "a.stl");
 * noli.overlap(a.at(), noli.box(1, 1, 1).at({ translation: [2, 0, 0] }));
 * ```
 */
import { Instance } from "./instance.js";
import { Noli } from "./noli.js";

export { NoliError, type ErrorKind } from "./instance.js";
export { Model, Noli, type Placed } from "./noli.js";
export type * from "./types.js";

/** Source of the WebAssembly module; by default the file next to this one. */
export interface LoadOptions {
  /** Address of the file. */
  readonly url?: URL | string;
  /** Its bytes, for hosts that do not fetch. */
  readonly bytes?: Uint8Array | ArrayBuffer;
  /** A compiled module, such as `noli.module` of another thread. */
  readonly module?: WebAssembly.Module;
}

/** A module with one SIMD instruction: hosts without them do not accept it. */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** Returns true if this host has SIMD instructions. */
export function hasSimd(): boolean {
  return WebAssembly.validate(SIMD_PROBE);
}

/** Loads the library. Each call makes an instance of its own. */
export async function load(options: LoadOptions = {}): Promise<Noli> {
  const module = options.module ?? (await compiled(options));
  const start = performance.now();
  const imports = { ...unusedImports(module), noli: { host_milliseconds: () => performance.now() - start } };
  return new Noli(new Instance(await WebAssembly.instantiate(module, imports)), module);
}

/**
 * Functions that the module imports and never calls. The archive reader depends on a random source for encryption,
 * which brings descriptions for wasm-bindgen; nothing here encrypts.
 */
function unusedImports(module: WebAssembly.Module): WebAssembly.Imports {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = () => {
      throw new Error(`${from}.${name} is not provided`);
    };
  }
  return imports;
}

async function compiled(options: LoadOptions): Promise<WebAssembly.Module> {
  if (options.bytes !== undefined) return WebAssembly.compile(options.bytes as BufferSource);
  const beside = hasSimd() ? new URL("./noli.simd.wasm", import.meta.url) : new URL("./noli.wasm", import.meta.url);
  const url = options.url === undefined ? beside : new URL(options.url, import.meta.url);
  if (url.protocol === "file:") {
    // Node does not fetch files. A name in a variable keeps bundlers from resolving it.
    const files = "node:fs/promises";
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ files);
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}; serve the files of the package`);
  return WebAssembly.compile(await response.arrayBuffer());
}
