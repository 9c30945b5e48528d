import { make } from './dom';

/** Up to this number, all rows are in the page, for search and print of the browser. */
const ALL = 300;
/** Rows kept beyond the visible ones. */
const BEYOND = 10;

/** A virtual list: only visible rows are in the page. All rows have the same height. */
export class Rows {
  private count = 0;
  private row: (index: number) => HTMLElement = () => make('li');
  private readonly made = new Map<number, HTMLElement>();
  private height = 0;
  /** Range and height of the rows in the page. */
  private drawn = '';
  private readonly above: HTMLElement;
  private readonly below: HTMLElement;

  /** Rows of a list or table body, in a scrolling element. */
  constructor(private readonly scroller: HTMLElement, private readonly list: HTMLElement = scroller) {
    const spacer = () => make(list.tagName === 'TBODY' ? 'tr' : 'li', { className: 'spacer' }, [], { role: 'presentation' });
    [this.above, this.below] = [spacer(), spacer()];
    // Rows added or removed above must not move the visible ones.
    scroller.style.overflowAnchor = 'none';
    scroller.addEventListener('scroll', () => this.fill(), { passive: true });
    new ResizeObserver(() => this.fill()).observe(scroller);
  }

  /** Replaces the rows; the focus is kept. */
  set(count: number, row: (index: number) => HTMLElement): void {
    const focused = document.activeElement;
    const [index, had] = [...this.made].find(([, made]) => focused && made !== focused && made.contains(focused)) ?? [-1, null];
    const which = had ? [...had.querySelectorAll('button')].indexOf(focused as HTMLButtonElement) : -1;
    this.made.clear();
    [this.count, this.row, this.drawn] = [count, row, ''];
    this.fill();
    if (which >= 0) this.made.get(index)?.querySelectorAll('button')[which]?.focus({ preventScroll: true });
  }

  /** Scrolls by the minimum that makes a row visible. */
  show(index: number): void {
    const { scroller } = this;
    if (this.count <= ALL) return this.made.get(index)?.scrollIntoView({ block: 'nearest' });
    const top = this.start() + index * this.height;
    const head = this.list === scroller ? 0 : this.start();
    if (top - head < scroller.scrollTop) scroller.scrollTop = top - head;
    else if (top + this.height > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + this.height - scroller.clientHeight;
    this.fill();
  }

  /** The row of this index, if it is in the page. */
  at(index: number): HTMLElement | undefined {
    return this.made.get(index);
  }

  /** Offset of the first row in the scrolling element. */
  private start(): number {
    if (this.list === this.scroller) return 0;
    return this.list.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top + this.scroller.scrollTop;
  }

  /** Distance of rows: less than their height if borders are shared. */
  private pitch(): number {
    const made = [...this.made.values()];
    const [first, last] = [made.at(0), made.at(-1)].map((row) => row?.getBoundingClientRect());
    if (!first || !last) return 0;
    return made.length > 1 ? (last.top - first.top) / (made.length - 1) : first.height;
  }

  private fill(): void {
    const isWhole = this.count <= ALL;
    if (!isWhole && this.height === 0) this.put(0, Math.min(this.count, 40));
    this.height = this.pitch() || this.height;
    if (isWhole) return this.put(0, this.count);
    if (this.height === 0) return;
    const top = (this.scroller.scrollTop - this.start()) / this.height;
    const from = Math.min(Math.max(Math.floor(top) - BEYOND, 0), this.count - 1);
    this.put(from, Math.min(Math.ceil(top + this.scroller.clientHeight / this.height) + BEYOND, this.count));
  }

  private put(from: number, to: number): void {
    const drawn = `${from} ${to} ${this.height}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const isWhole = this.count <= ALL;
    const rows = Array.from({ length: to - from }, (_, k) => this.made.get(from + k) ?? this.row(from + k));
    this.made.clear();
    rows.forEach((row, k) => {
      this.made.set(from + k, row);
      if (isWhole) return;
      const isOfTable = row.tagName === 'TR';
      row.setAttribute(isOfTable ? 'aria-rowindex' : 'aria-posinset', String(from + k + 1));
      if (!isOfTable) row.setAttribute('aria-setsize', String(this.count));
    });
    const focused = document.activeElement as HTMLElement | null;
    this.above.style.height = `${from * this.height}px`;
    this.below.style.height = `${(this.count - to) * this.height}px`;
    this.list.replaceChildren(...(isWhole ? rows : [this.above, ...rows, this.below]));
    if (focused && focused !== this.list && this.list.contains(focused)) focused.focus({ preventScroll: true });
  }
}
