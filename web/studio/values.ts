import type { Studio } from './studio';
import type { Bounds, PairValues, PairView } from './types';

/** Pairs of one request, and kept ones. */
const [MOST_ASKED, MOST_KEPT] = [60, 5000];
/** Pause between requests, so that other commands come first, and time after which an answer is not expected any more. */
const [PAUSE, PATIENCE] = [40, 6000];
/** Relations whose bodies share volume. */
const DEEP = ['intersecting', 'inside', 'undecided', 'duplicate'];

/** Values of a pair with the poses of both bodies that they are about. */
interface Known {
  values: PairValues;
  stamp: string;
}

/** Penetration depths and overlap volumes of pairs, asked for when they are shown. */
export class ValueStore {
  private readonly known = new Map<string, Known>();
  private readonly exact = new Map<string, Known>();
  private readonly wanted = new Map<string, PairView>();
  private asked = 0;
  private timer: number | undefined;

  constructor(private readonly studio: Studio) {}

  /** Returns `true` if a pair has values to ask for. Those in a cell would be of the meshes that are drawn. */
  applies(pair: PairView): boolean {
    return this.studio.robot === null && DEEP.includes(pair.relation);
  }

  /** Values of a pair for the present poses, if they are known; touching bodies share no volume. */
  of(pair: PairView): PairValues | null {
    if (pair.relation === 'touching') return { a: pair.a, b: pair.b, depth: [0, 0], volume: [0, 0] };
    return this.fresh(this.known, pair);
  }

  /** Narrow brackets of a pair, if they were asked for. */
  exactOf(pair: PairView): PairValues | null {
    return this.fresh(this.exact, pair);
  }

  private fresh(store: Map<string, Known>, { a, b }: PairView): PairValues | null {
    const found = store.get(`${a} ${b}`);
    return found && found.stamp === this.stamp(a, b) ? found.values : null;
  }

  private stamp(a: number, b: number): string {
    const of = (body: number) => {
      const { at, turn, shape } = this.studio.bodies[body] ?? {};
      return [at, turn, shape].join();
    };
    return `${of(a)} ${of(b)}`;
  }

  /** Asks for the values of a pair unless they are known. */
  want(pair: PairView): void {
    if (!this.applies(pair) || this.of(pair)) return;
    this.wanted.set(`${pair.a} ${pair.b}`, pair);
    this.schedule();
  }

  /** Asks for narrow brackets of a pair. */
  wantExact(pair: PairView): void {
    this.studio.link.say({ do: 'values', pairs: [[pair.a, pair.b]], exact: true });
  }

  /** Number of pairs that are asked for. */
  open(): number {
    return this.wanted.size;
  }

  /** Withdraws what was asked for and is not shown any more. */
  withdraw(): void {
    this.wanted.clear();
  }

  forget(): void {
    for (const store of [this.known, this.exact, this.wanted]) store.clear();
    this.asked = 0;
  }

  private schedule(): void {
    this.timer ??= window.setTimeout(() => {
      this.timer = undefined;
      this.ask();
    }, PAUSE);
  }

  private ask(): void {
    if (this.wanted.size === 0) return;
    const isWaiting = this.asked > 0 && performance.now() - this.asked < PATIENCE;
    // A drag comes first.
    if (isWaiting || this.studio.isPending() || this.studio.viewer.isDragging()) return this.schedule();
    for (const [key, { a, b }] of this.wanted) if ([a, b].some((body) => this.studio.bodies[body]?.gone ?? true)) this.wanted.delete(key);
    const pairs = [...this.wanted.values()].slice(0, MOST_ASKED).map(({ a, b }) => [a, b]);
    if (pairs.length === 0) return;
    this.asked = performance.now();
    if (!this.studio.link.say({ do: 'values', pairs, exact: false })) this.asked = 0;
  }

  take(values: PairValues[], isExact: boolean): void {
    if (!isExact) this.asked = 0;
    const store = isExact ? this.exact : this.known;
    for (const value of values) {
      const key = `${value.a} ${value.b}`;
      store.delete(key);
      store.set(key, { values: value, stamp: this.stamp(value.a, value.b) });
      if (!isExact) this.wanted.delete(key);
    }
    for (const oldest of [...store.keys()].slice(0, Math.max(0, store.size - MOST_KEPT))) store.delete(oldest);
    if (this.wanted.size > 0) this.schedule();
  }
}

/** Both bounds in three significant digits; one number where they agree. */
export function reading(bounds: Bounds | null): string {
  if (!bounds) return '';
  const digits = (x: number) => (x === 0 ? '0' : x >= 1000 ? String(Math.round(x)) : x < 0.001 ? '< 0.001' : String(Number(x.toPrecision(3))));
  const [low, high] = bounds;
  if (high === null) return low === 0 ? 'unknown' : `≥ ${digits(low)}`;
  // The lower bound of a wide bracket would promise a precision that is not there.
  if (digits(low) === digits(high)) return digits(high);
  return low < 0.5 * high ? `≤ ${digits(high)}` : `${digits(low)} – ${digits(high)}`;
}
