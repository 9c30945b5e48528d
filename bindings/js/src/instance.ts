// The WebAssembly instance: its memory, texts and errors.

/** Kind of an error: a wrong handle or number, a file that cannot be read, or a defect of the library. */
export type ErrorKind = "handle" | "value" | "file" | "internal";

/** Reason why a call failed; the message names the place and the remedy. */
export class NoliError extends Error {
  constructor(
    readonly kind: ErrorKind,
    message: string,
  ) {
    super(message);
    this.name = "NoliError";
  }
}

const KINDS: readonly ErrorKind[] = ["internal", "value", "handle", "value", "file", "internal", "internal"];

/** Exported functions take and return numbers; handles by value are 64-bit. */
export type Exported = (...values: (number | bigint)[]) => number;

/** Bytes for records of one call: two moving bodies, options and an answer. */
const RECORDS = 1024;

/** One instance. A panic ends it, because WebAssembly cannot unwind. */
export class Instance {
  readonly memory: WebAssembly.Memory;
  /** Place for the records of one call. */
  readonly records: number;
  private readonly functions: Record<string, Exported>;
  private ended: string | null = null;
  private views: { f64: Float64Array; u32: Uint32Array; i32: Int32Array; u8: Uint8Array };

  constructor(instance: WebAssembly.Instance) {
    this.memory = instance.exports["memory"] as WebAssembly.Memory;
    this.functions = instance.exports as Record<string, Exported>;
    this.views = this.renewed();
    this.records = this.alloc(RECORDS);
  }

  private renewed() {
    const buffer = this.memory.buffer;
    return {
      f64: new Float64Array(buffer),
      u32: new Uint32Array(buffer),
      i32: new Int32Array(buffer),
      u8: new Uint8Array(buffer),
    };
  }

  /** Views of the memory; growing replaces its buffer. */
  private current() {
    if (this.views.u8.buffer !== this.memory.buffer) this.views = this.renewed();
    return this.views;
  }

  get f64(): Float64Array {
    return this.current().f64;
  }
  get u32(): Uint32Array {
    return this.current().u32;
  }
  get i32(): Int32Array {
    return this.current().i32;
  }
  get u8(): Uint8Array {
    return this.current().u8;
  }

  /** Calls a function that returns a status; throws its error. */
  call(name: string, ...values: (number | bigint)[]): void {
    if (this.ended !== null) throw new NoliError("internal", this.ended);
    let status: number;
    try {
      status = this.functions[name]!(...values);
    } catch (trap) {
      this.ended = `${this.lastMessage() || String(trap)}; this instance ended, load another`;
      throw new NoliError("internal", this.ended);
    }
    if (status !== 0) throw new NoliError(KINDS[status] ?? "internal", this.lastMessage());
  }

  /** Calls a function that cannot fail. */
  plain(name: string, ...values: (number | bigint)[]): number {
    return this.functions[name]!(...values);
  }

  /** Returns a text that ends with a zero byte. */
  text(at: number): string {
    const bytes = this.u8;
    const end = bytes.indexOf(0, at);
    // A copy: decoders refuse memory that is shared or can grow.
    return new TextDecoder().decode(bytes.slice(at, end < 0 ? undefined : end));
  }

  private lastMessage(): string {
    try {
      return this.text(this.plain("noli_last_error_message"));
    } catch {
      return "";
    }
  }

  alloc(bytes: number): number {
    const at = this.plain("wasm_alloc", Math.max(bytes, 8)) >>> 0;
    if (at === 0) throw new NoliError("value", `no memory for ${bytes} bytes; free models or use smaller ones`);
    return at;
  }

  /** Runs work with memory of its own. */
  with<R>(bytes: number, work: (at: number) => R): R {
    const size = Math.max(bytes, 8);
    const at = this.alloc(size);
    try {
      return work(at);
    } finally {
      this.functions["wasm_free"]!(at, size);
    }
  }

  /** Runs work with a copy of numbers. */
  withNumbers<R>(numbers: ArrayLike<number>, work: (at: number) => R): R {
    return this.with(8 * numbers.length, (at) => {
      this.f64.set(numbers, at / 8);
      return work(at);
    });
  }

  /** Runs work with a copy of bytes. */
  withBytes<R>(bytes: Uint8Array, work: (at: number) => R): R {
    return this.with(bytes.length, (at) => {
      this.u8.set(bytes, at);
      return work(at);
    });
  }

  /** Runs work with a text that ends with a zero byte. */
  withText<R>(text: string, work: (at: number) => R): R {
    return this.withBytes(new TextEncoder().encode(`${text.replaceAll("\0", "")}\0`), work);
  }
}
