// Chromium without a screen, spoken to by its DevTools protocol over two pipes.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Returns the browser's program, or null. */
export function findChromium() {
  const names = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"];
  return names.find((name) => name && spawnSync(name, ["--version"]).status === 0) ?? null;
}

/** Longest wait for an answer or a state of the page, in milliseconds: machines of tests are busy. */
const PATIENCE = 60_000;

export class Chromium {
  constructor(program) {
    this.profile = mkdtempSync(path.join(tmpdir(), "noli-chromium-"));
    const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--remote-debugging-pipe", "--window-size=900,700", `--user-data-dir=${this.profile}`, "about:blank"];
    this.process = spawn(program, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    // A browser that ends by itself answers nothing more.
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.ended.then(() => this.waiting.forEach(({ reject }) => reject(new Error("the browser ended"))));
    this.process.stdio[3].on("error", () => {});
    this.next = 1;
    this.waiting = new Map();
    /** Errors of the page. */
    this.errors = [];
    let rest = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }

  receive({ id, result, error, method, params }) {
    if (method === "Runtime.exceptionThrown") {
      this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    }
    if (!this.waiting.has(id)) return;
    const { resolve, reject, timer } = this.waiting.get(id);
    clearTimeout(timer);
    this.waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }

  send(method, params = {}) {
    const id = this.next++;
    const message = { id, method, params, sessionId: this.session };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), PATIENCE);
      this.waiting.set(id, { resolve, reject, timer });
      this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    });
  }

  /** Opens a page. */
  async open(url) {
    const { targetInfos } = await this.send("Target.getTargets");
    const page = targetInfos.find((target) => target.type === "page");
    const { sessionId } = await this.send("Target.attachToTarget", { targetId: page.targetId, flatten: true });
    this.session = sessionId;
    await this.send("Runtime.enable");
    await this.send("Page.navigate", { url });
  }

  /** Returns the value of an expression; promises are awaited. */
  async value(expression) {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", options);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true. */
  async until(expression) {
    const end = Date.now() + PATIENCE;
    while (!(await this.value(expression))) {
      if (Date.now() > end) throw new Error(`never true: ${expression}; ${this.errors.join("; ")}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Moves the mouse from one place to another with its button held, in so many steps. */
  async drag([x0, y0], [x1, y1], steps) {
    const mouse = (type, x, y) => {
      const button = type === "mouseMoved" ? "none" : "left";
      return this.send("Input.dispatchMouseEvent", { type, x, y, button, buttons: 1, clickCount: 1 });
    };
    await mouse("mousePressed", x0, y0);
    for (let i = 1; i <= steps; i++) await mouse("mouseMoved", x0 + ((x1 - x0) * i) / steps, y0 + ((y1 - y0) * i) / steps);
    await mouse("mouseReleased", x1, y1);
  }

  /** Ends the browser with its processes, which write into the profile until they end. */
  async close() {
    await this.send("Browser.close").catch(() => {});
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 10_000);
    await this.ended;
    clearTimeout(timer);
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 20 });
  }
}
