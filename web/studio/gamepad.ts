import type { Quat, Vec3 } from 'noli-viewer';
import { product, rotate } from './pose';
import type { Studio } from './studio';

/** Lengths of the page and degrees in a second, where a stick is pushed all the way. The scene is 100 long. */
const [FASTEST, FASTEST_TURN] = [30, 60];
/** Sticks never rest at 0. */
const DEAD = 0.12;

/** What is wanted of a body: to the right, away, up; and turns about these. From -1 to 1. */
function wanted({ axes, buttons, mapping }: Gamepad): [Vec3, Vec3] {
  // Fine near the middle, fast at the end.
  const axis = (k: number) => {
    const value = axes[k] ?? 0;
    const beyond = Math.max(0, Math.abs(value) - DEAD) / (1 - DEAD);
    return Math.sign(value) * beyond * beyond;
  };
  const pressed = (k: number) => buttons[k]?.value ?? 0;
  // Devices of six degrees have an axis for each, towards oneself and down counting up.
  if (mapping !== 'standard' && axes.length >= 6) return [[axis(0), -axis(1), -axis(2)], [axis(3), -axis(4), -axis(5)]];
  // Else the left stick is the floor, the right one height and heading, the cross the other turns.
  return [[axis(0), -axis(1), -axis(3)], [pressed(13) - pressed(12), pressed(15) - pressed(14), -axis(2)]];
}

/** Six-degree devices and gamepads carry the chosen body, as far as is free. */
export function followGamepad(studio: Studio): void {
  let carried: number | null = null;
  let last = 0;
  let running = false;
  const leave = () => {
    if (carried !== null) studio.drop(carried);
    carried = null;
  };
  const tick = () => {
    const pads = navigator.getGamepads().filter((pad) => pad !== null);
    const { chosen, hello } = studio;
    const now = performance.now();
    // Not faster than answers come: what was asked for before is on its way.
    if (!studio.isAsking()) {
      const asked = pads.map(wanted).find((both) => both.flat().some((x) => x !== 0));
      if (carried !== null && (!asked || chosen !== carried)) leave();
      if (asked && hello && chosen !== null && !studio.robot && !hello.is_database && !studio.timeline && !studio.viewer.isDragging()) {
        const seconds = carried === null ? 0.016 : Math.min((now - last) / 1000, 0.1);
        const { at, turn } = studio.bodies[chosen]!;
        const axes = ([right, away, up]: Vec3): Vec3 => (hello.up === 'y' ? [right, up, -away] : [right, away, up]);
        const [move, spin] = asked.map(axes) as [Vec3, Vec3];
        const way = (studio.local ? rotate(turn, move) : move).map((x, k) => at[k]! + x * FASTEST * seconds) as Vec3;
        const angle = (Math.hypot(...spin) * FASTEST_TURN * seconds * Math.PI) / 180;
        const by: Quat = angle === 0 ? [0, 0, 0, 1] : [...(spin.map((x) => (x / Math.hypot(...spin)) * Math.sin(angle / 2)) as Vec3), Math.cos(angle / 2)];
        carried = chosen;
        studio.pull(chosen, way, angle === 0 ? turn : studio.local ? product(turn, by) : product(by, turn));
      }
      last = now;
    }
    if (pads.length > 0) {
      requestAnimationFrame(tick);
    } else {
      leave();
      running = false;
    }
  };
  const begin = () => {
    if (!running) requestAnimationFrame(tick);
    running = true;
  };
  addEventListener('gamepadconnected', begin);
  if (navigator.getGamepads().some((pad) => pad !== null)) begin();
}
