import { element, make } from 'noli-viewer';

/** Least and largest widths of the lists, in pixels. */
const [LEAST, MOST] = [170, 720];
/** The view keeps this width. */
const VIEW = 240;

/** Makes the widths of the two lists beside the view adjustable, by the pointer and by keys; they are remembered. */
export function adjustWidths(): void {
  for (const [id, side] of [['left', 1], ['right', -1]] as const) {
    const panel = element(id);
    const key = `noli-width-${id}`;
    const handle = make('div', { className: `grip ${id}`, tabIndex: 0, title: 'Drag to resize; double-click for the usual width' }, [], {
      role: 'separator', 'aria-orientation': 'vertical', 'aria-label': `Width of ${id === 'left' ? 'the bodies' : 'the panels'}`,
      'aria-valuemin': String(LEAST), 'aria-valuemax': String(MOST),
    });
    const set = (width: number | null) => {
      const other = element(id === 'left' ? 'right' : 'left').offsetWidth;
      const most = Math.max(LEAST, Math.min(MOST, innerWidth - other - VIEW));
      const kept = width === null ? null : Math.round(Math.min(Math.max(width, LEAST), most));
      if (kept === null) document.body.style.removeProperty(`--${id}`);
      else document.body.style.setProperty(`--${id}`, `${kept}px`);
      if (kept === null) localStorage.removeItem(key);
      else localStorage.setItem(key, String(kept));
      handle.setAttribute('aria-valuenow', String(kept ?? panel.offsetWidth));
    };
    let from: [number, number] | null = null;
    handle.addEventListener('pointerdown', (event) => {
      from = [event.clientX, panel.offsetWidth];
      handle.setPointerCapture(event.pointerId);
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener('pointermove', (event) => from && set(from[1] + side * (event.clientX - from[0])));
    handle.addEventListener('pointerup', () => (from = null));
    handle.addEventListener('pointercancel', () => (from = null));
    handle.addEventListener('dblclick', () => set(null));
    handle.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
      if (!by && event.key !== 'Home') return;
      event.preventDefault();
      event.stopPropagation();
      set(by ? panel.offsetWidth + side * by : null);
    });
    panel.append(handle);
    const kept = Number(localStorage.getItem(key));
    if (kept >= LEAST) set(kept);
    else handle.setAttribute('aria-valuenow', String(panel.offsetWidth));
  }
}

/** Widens a list for a while, without its remembered width; `null` gives it back. */
export function widen(id: 'left' | 'right', width: number | null): void {
  const kept = Number(localStorage.getItem(`noli-width-${id}`));
  const usual = kept >= LEAST ? kept : null;
  const other = element(id === 'left' ? 'right' : 'left').offsetWidth;
  const most = Math.max(LEAST, Math.min(MOST, innerWidth - other - 2 * VIEW));
  const wanted = width === null ? usual : Math.max(Math.min(width, most), usual ?? 0);
  // Below the view, where the window is narrow, a list has all of its width.
  if (wanted === null || wanted < element(id).offsetWidth) document.body.style.removeProperty(`--${id}`);
  if (wanted !== null && (width === null || wanted > element(id).offsetWidth)) document.body.style.setProperty(`--${id}`, `${Math.round(wanted)}px`);
}
