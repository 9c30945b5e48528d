import { make } from 'noli-viewer';
import type { PairView } from './types';

/** Pictures that are kept, at most: each has 55 kB. */
const MOST = 200;

/** Pictures of pairs, drawn one by one, so that the page stays responsive, and kept until bodies move. */
export class Pictures {
  private readonly drawn = new Map<string, HTMLCanvasElement>();
  private readonly open = new Map<string, { pair: PairView; frame: HTMLElement }>();
  private isScheduled = false;

  constructor(private readonly draw: (pair: PairView) => HTMLCanvasElement) {}

  /** The place of a picture in a row: filled at once if it is known. */
  place(pair: PairView): HTMLElement {
    const key = `${pair.a} ${pair.b}`;
    const frame = make('span', { className: 'thumbnail' }, [], { 'aria-hidden': 'true' });
    const known = this.drawn.get(key);
    if (known) frame.append(known);
    else {
      this.open.set(key, { pair, frame });
      this.schedule();
    }
    return frame;
  }

  /** Drops all pictures: bodies have moved. Open ones are drawn as bodies are then. */
  forget(): void {
    this.drawn.clear();
    // Rows that were drawn anew have other frames.
    for (const [key, { frame }] of this.open) if (!frame.isConnected) this.open.delete(key);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    window.setTimeout(() => {
      this.isScheduled = false;
      const next = this.open.entries().next().value;
      if (!next) return;
      const [key, { pair, frame }] = next;
      this.open.delete(key);
      // Rows that were scrolled away are drawn when they come back.
      if (frame.isConnected) {
        const canvas = this.draw(pair);
        this.drawn.set(key, canvas);
        for (const oldest of [...this.drawn.keys()].slice(0, Math.max(0, this.drawn.size - MOST))) this.drawn.delete(oldest);
        frame.append(canvas);
      }
      if (this.open.size > 0) this.schedule();
    }, 30);
  }
}
