import type { Quat, Vec3 } from 'noli-viewer';
import type { BodyView, Hello } from './types';

export function rotate([x, y, z, w]: Quat, [a, b, c]: Vec3): Vec3 {
  const t: Vec3 = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * t[0] + y * t[2] - z * t[1], b + w * t[1] + z * t[0] - x * t[2], c + w * t[2] + x * t[1] - y * t[0]];
}

/** Product of two rotations: the second is applied first, as for matrices. */
export function product([a, b, c, d]: Quat, [x, y, z, w]: Quat): Quat {
  return [d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x, d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z];
}

/** Position of the local origin of a body, in the unit of the scene. */
export function originOf(body: BodyView, { middle, scale }: Hello): Vec3 {
  const turned = rotate(body.turn, body.middle);
  return [0, 1, 2].map((k) => body.at[k]! / scale + middle[k]! - turned[k]!) as Vec3;
}

const DEGREES = 180 / Math.PI;

/** Roll, pitch and yaw in degrees: rotations about x, y and z, in this order. */
export function anglesOf([x, y, z, w]: Quat): Vec3 {
  const pitch = Math.asin(Math.min(1, Math.max(-1, 2 * (w * y - z * x))));
  const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  return [roll * DEGREES, pitch * DEGREES, yaw * DEGREES];
}

export function quaternionOf(angles: Vec3): Quat {
  const [a, b, c] = angles.map((angle) => angle / DEGREES / 2) as Vec3;
  const [sa, ca, sb, cb, sc, cc] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b), Math.sin(c), Math.cos(c)];
  return [sa * cb * cc - ca * sb * sc, ca * sb * cc + sa * cb * sc, ca * cb * sc - sa * sb * cc, ca * cb * cc + sa * sb * sc];
}
