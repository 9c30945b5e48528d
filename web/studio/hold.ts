import type { Studio } from './studio';

/** Jog speeds, in percent of the largest one. */
export const SPEEDS = [1, 5, 10, 25, 50, 100];

/** A button pressed for longer than this moves the arm until it is released, in milliseconds. */
const HELD = 250;

/** Largest step of a held button, in seconds: a slow answer must not become a long motion. */
const LONGEST = 0.5;

/** Properties of a button that makes one step by a click, and moves while it is held: at most one step at a time is under way. */
export function whileHeld(studio: Studio, { step, move }: { step: () => void; move: (seconds: number) => void }): Partial<HTMLButtonElement> {
  let [last, moves, held] = [0, false, false];
  let wait: number | undefined;
  let refused = 0;
  const tick = (now: number) => {
    // Out of reach: the arm stays until the next press.
    if (!moves || studio.refused > refused) return;
    if (!studio.isJogging()) {
      move(Math.min((now - last) / 1000, LONGEST));
      last = now;
    }
    requestAnimationFrame(tick);
  };
  const release = () => {
    clearTimeout(wait);
    moves = false;
  };
  return {
    onpointerdown: (event) => {
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      wait = setTimeout(() => {
        refused = studio.refused;
        [moves, last, held] = [true, performance.now(), true];
        requestAnimationFrame(tick);
      }, HELD) as unknown as number;
    },
    onpointerup: release,
    onpointercancel: release,
    // A click that ends a held motion is no step; keys click too.
    onclick: () => {
      if (!held) step();
      held = false;
    },
  };
}
