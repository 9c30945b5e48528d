import type { Vec3 } from 'noli-viewer';
import type { Studio } from './studio';

/** Six-degree devices and gamepads: the sticks move the chosen body, as far as is free. */
export function followGamepad(studio: Studio): void {
  let moving = false;
  const tick = () => {
    const pad = navigator.getGamepads().find((found) => found !== null);
    if (!pad) {
      moving = false;
      setTimeout(tick, 1000);
      return;
    }
    const axis = (k: number) => (Math.abs(pad.axes[k] ?? 0) > 0.15 ? pad.axes[k]! : 0);
    const [x, y, z] = [axis(0), -axis(1), -axis(3)];
    if (studio.chosen !== null && !studio.viewer.isDragging()) {
      const body = studio.bodies[studio.chosen]!;
      if (x !== 0 || y !== 0 || z !== 0) {
        moving = true;
        studio.pull(studio.chosen, [body.at[0] + x, body.at[1] + y, body.at[2] + z] as Vec3, body.turn);
      } else if (moving) {
        moving = false;
        studio.drop(studio.chosen);
      }
    }
    requestAnimationFrame(tick);
  };
  addEventListener('gamepadconnected', () => tick(), { once: true });
}
