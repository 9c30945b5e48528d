import * as THREE from 'three';

/** Turn of a camera about its target by an arrow key, or its zoom: the new offset from the target; `null` for other keys. */
export function steered(event: KeyboardEvent, camera: THREE.Camera, target: THREE.Vector3): THREE.Vector3 | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const from = camera.position.clone().sub(target);
  const turned = (axis: THREE.Vector3, angle: number) => from.clone().applyAxisAngle(axis, angle);
  const up = camera.up.clone();
  const right = new THREE.Vector3(1, 0, 0).applyQuaternion(camera.quaternion);
  const step = Math.PI / 24;
  const tilt = (angle: number) => {
    const next = turned(right, angle);
    return next.angleTo(up) < 0.05 || next.angleTo(up) > Math.PI - 0.05 ? from : next;
  };
  const keys: Record<string, () => THREE.Vector3> = {
    ArrowLeft: () => turned(up, -step), ArrowRight: () => turned(up, step),
    ArrowUp: () => tilt(-step), ArrowDown: () => tilt(step),
    '+': () => from.clone().multiplyScalar(0.85), '=': () => from.clone().multiplyScalar(0.85), '-': () => from.clone().multiplyScalar(1 / 0.85),
  };
  return keys[event.key]?.() ?? null;
}
