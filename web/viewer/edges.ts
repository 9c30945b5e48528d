import * as THREE from 'three';

/** Edges with a smaller dihedral angle are not drawn. */
const SMOOTH = Math.cos((28 * Math.PI) / 180);

/**
 * The drawn edges of a mesh: boundary edges and sharp edges. Vertices at the same position are merged, even if
 * the file lists them separately.
 */
export function sharpEdges(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const vertex = welded(positions);
  const count = positions.length / 3;
  const normals = faceNormals(positions, triangles);
  const seen = new Map<number, number>();
  const drawn: number[] = [];
  const line = (a: number, b: number) => {
    for (const v of [a, b]) drawn.push(positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!);
  };
  for (let face = 0; face < triangles.length / 3; face++) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [vertex[triangles[3 * face + k]!]!, vertex[triangles[3 * face + ((k + 1) % 3)]!]!];
      if (a === b) continue;
      const key = a < b ? a * count + b : b * count + a;
      const other = seen.get(key);
      if (other === undefined) {
        seen.set(key, face);
      } else {
        seen.delete(key);
        const [m, n] = [3 * face, 3 * other];
        const cosine = normals[m]! * normals[n]! + normals[m + 1]! * normals[n + 1]! + normals[m + 2]! * normals[n + 2]!;
        if (Math.abs(cosine) < SMOOTH) line(a, b);
      }
    }
  }
  for (const key of seen.keys()) line(Math.floor(key / count), key % count);
  return new Float32Array(drawn);
}

/** For every vertex the first one at the same position. */
function welded(positions: Float32Array): Uint32Array {
  const box = new THREE.Box3().setFromArray(positions);
  const size = box.getSize(new THREE.Vector3());
  const scale = 65535 / Math.max(size.x, size.y, size.z, 1e-300);
  const at = new Map<number, number>();
  const first = new Uint32Array(positions.length / 3);
  for (let v = 0; v < first.length; v++) {
    const x = Math.round((positions[3 * v]! - box.min.x) * scale);
    const y = Math.round((positions[3 * v + 1]! - box.min.y) * scale);
    const z = Math.round((positions[3 * v + 2]! - box.min.z) * scale);
    const key = (x * 65536 + y) * 65536 + z;
    const known = at.get(key);
    if (known === undefined) at.set(key, v);
    first[v] = known ?? v;
  }
  return first;
}

function faceNormals(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  for (let face = 0; face < triangles.length; face += 3) {
    a.fromArray(positions, 3 * triangles[face]!);
    b.fromArray(positions, 3 * triangles[face + 1]!).sub(a);
    c.fromArray(positions, 3 * triangles[face + 2]!).sub(a);
    b.cross(c).normalize().toArray(normals, face);
  }
  return normals;
}

const VERTEX = `
uniform highp sampler2D places;
attribute float body;
vec4 texel(int column) { return texelFetch(places, ivec2(column, int(body)), 0); }
#include <clipping_planes_pars_vertex>
void main() {
  vec4 mvPosition = modelViewMatrix * mat4(texel(0), texel(1), texel(2), texel(3)) * vec4(position, 1.0);
  #include <clipping_planes_vertex>
  // Edges that are not drawn are moved behind the camera.
  gl_Position = texel(4).x > 0.5 ? projectionMatrix * mvPosition : vec4(0.0, 0.0, 2.0, 1.0);
}`;

const FRAGMENT = `
uniform vec3 colour;
uniform float opacity;
#include <clipping_planes_pars_fragment>
void main() {
  #include <clipping_planes_fragment>
  gl_FragColor = vec4(colour, opacity);
}`;

const WIDE = 5;

/** The edges of all bodies in one draw call: a texture holds pose and visibility of each body. */
export class Edges {
  readonly lines: THREE.LineSegments;
  private readonly places: THREE.DataTexture;
  private readonly material: THREE.ShaderMaterial;

  constructor(edgesOf: Float32Array[], shapeOf: number[]) {
    const total = shapeOf.reduce((sum, shape) => sum + edgesOf[shape]!.length, 0);
    const [positions, bodies] = [new Float32Array(total), new Float32Array(total / 3)];
    let start = 0;
    shapeOf.forEach((shape, body) => {
      positions.set(edgesOf[shape]!, start);
      bodies.fill(body, start / 3, (start + edgesOf[shape]!.length) / 3);
      start += edgesOf[shape]!.length;
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute('body', new THREE.BufferAttribute(bodies, 1));
    const rows = Math.max(shapeOf.length, 1);
    this.places = new THREE.DataTexture(new Float32Array(4 * WIDE * rows), WIDE, rows, THREE.RGBAFormat, THREE.FloatType);
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { places: { value: this.places }, colour: { value: new THREE.Color('#3b4754') }, opacity: { value: 0.42 } },
      transparent: true,
      clipping: true,
    });
    this.lines = new THREE.LineSegments(geometry, this.material);
    this.lines.frustumCulled = false;
    this.lines.raycast = () => {};
  }

  set(body: number, place: THREE.Matrix4, shown: boolean): void {
    const data = this.places.image.data as Float32Array;
    place.toArray(data as unknown as number[], 4 * WIDE * body);
    data[4 * WIDE * body + 16] = shown ? 1 : 0;
    this.places.needsUpdate = true;
  }

  colour(colour: string, opacity: number): void {
    this.material.uniforms.colour!.value.set(colour);
    this.material.uniforms.opacity!.value = opacity;
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.material.dispose();
    this.places.dispose();
  }
}
