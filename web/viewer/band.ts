import { make } from './dom';

/** A corner-to-corner frame that is drawn with the pointer. */
export interface Band {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Calls back with the frame that is drawn with Shift and the pointer over a canvas. */
export function followBand(canvas: HTMLCanvasElement, hold: (held: boolean) => void, done: (band: Band) => void): void {
  const frame = make('div', { className: 'band', hidden: true });
  canvas.parentElement!.append(frame);
  let from: [number, number] | null = null;
  const bandTo = (event: PointerEvent): Band => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { left: Math.min(from![0], x), right: Math.max(from![0], x), top: Math.min(from![1], y), bottom: Math.max(from![1], y) };
  };
  const end = () => {
    if (from) hold(false);
    from = null;
    frame.hidden = true;
  };
  canvas.addEventListener('pointerdown', (event) => {
    if (!event.shiftKey || event.button !== 0) return;
    const box = canvas.getBoundingClientRect();
    from = [event.clientX - box.left, event.clientY - box.top];
    hold(true);
  }, { capture: true });
  addEventListener('pointermove', (event) => {
    if (!from) return;
    const { left, top, right, bottom } = bandTo(event);
    frame.hidden = Math.hypot(right - left, bottom - top) < 6;
    Object.assign(frame.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
  });
  addEventListener('pointerup', (event) => {
    if (!from) return;
    const [band, isDrawn] = [bandTo(event), !frame.hidden];
    end();
    if (isDrawn) done(band);
  });
  addEventListener('pointercancel', end);
}
