import type { Quat, Vec3 } from 'noli-viewer';
import { product, rotate } from './pose';
import type { Studio } from './studio';

/** Speeds at full deflection, in page units and degrees per second. The scene is 100 long. */
const [FASTEST, FASTEST_TURN] = [30, 60];
/** Dead zone: sticks never rest at 0. */
const DEAD = 0.12;

/** Commanded translation (right, away, up) and rotation about these axes, from -1 to 1. */
function wanted({ axes, buttons, mapping }: Gamepad): [Vec3, Vec3] {
  // Fine near the centre, fast at full deflection.
  const axis = (k: number) => {
    const value = axes[k] ?? 0;
    const beyond = Math.max(0, Math.abs(value) - DEAD) / (1 - DEAD);
    return Math.sign(value) * beyond * beyond;
  };
  const pressed = (k: number) => buttons[k]?.value ?? 0;
  // Six-axis devices have one axis per degree of freedom, positive towards the user and down.
  if (mapping !== 'standard' && axes.length >= 6) return [[axis(0), -axis(1), -axis(2)], [axis(3), -axis(4), -axis(5)]];
  // Otherwise: left stick horizontal, right stick height and yaw, cross the other rotations.
  return [[axis(0), -axis(1), -axis(3)], [pressed(13) - pressed(12), pressed(15) - pressed(14), -axis(2)]];
}

/** Moves the selected body by gamepads and six-axis devices, as far as collision-free. */
export function followGamepad(studio: Studio): void {
  let moved: number | null = null;
  let last = 0;
  let running = false;
  const leave = () => {
    if (moved !== null) studio.drop(moved);
    moved = null;
  };
  const tick = () => {
    const pads = navigator.getGamepads().filter((pad) => pad !== null);
    const { chosen, hello } = studio;
    const now = performance.now();
    // At most one request is pending.
    if (!studio.isPending()) {
      const commanded = pads.map(wanted).find((both) => both.flat().some((x) => x !== 0));
      if (moved !== null && (!commanded || chosen !== moved)) leave();
      if (commanded && hello && chosen !== null && studio.isMovable(chosen) && !studio.timeline && !studio.viewer.isDragging()) {
        const seconds = moved === null ? 0.016 : Math.min((now - last) / 1000, 0.1);
        const { at, turn } = studio.bodies[chosen]!;
        const axes = ([right, away, up]: Vec3): Vec3 => (hello.up === 'y' ? [right, up, -away] : [right, away, up]);
        const [move, spin] = commanded.map(axes) as [Vec3, Vec3];
        const path = (studio.local ? rotate(turn, move) : move).map((x, k) => at[k]! + x * FASTEST * seconds) as Vec3;
        const angle = (Math.hypot(...spin) * FASTEST_TURN * seconds * Math.PI) / 180;
        const by: Quat = angle === 0 ? [0, 0, 0, 1] : [...(spin.map((x) => (x / Math.hypot(...spin)) * Math.sin(angle / 2)) as Vec3), Math.cos(angle / 2)];
        moved = chosen;
        studio.pull(chosen, path, angle === 0 ? turn : studio.local ? product(turn, by) : product(by, turn));
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
