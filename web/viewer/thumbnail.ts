import * as THREE from 'three';

/** Size of a picture in pixels of the screen: twice that of its place in a row. */
export const PICTURE: [number, number] = [144, 96];

/** A body of a picture. */
export interface Pictured {
  geometry: THREE.BufferGeometry;
  place: THREE.Matrix4;
  colour: string;
}

/** Small pictures of two bodies and the lines where they intersect, drawn apart from the view. */
export class Thumbnails {
  private readonly target = new THREE.WebGLRenderTarget(...PICTURE, { samples: 4 });
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(35, PICTURE[0] / PICTURE[1], 0.05, 5000);
  private readonly lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ depthTest: false, transparent: true }));
  private readonly pixels = new Uint8Array(PICTURE[0] * PICTURE[1] * 4);
  /** Render targets hold linear colours; a picture has those of the screen. */
  private readonly gamma = Uint8ClampedArray.from({ length: 256 }, (_, value) => {
    const linear = value / 255;
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055);
  });

  constructor(private readonly renderer: THREE.WebGLRenderer) {
    const key = new THREE.DirectionalLight('#ffffff', 2);
    key.position.set(0.4, -0.6, 1);
    this.scene.add(new THREE.AmbientLight('#ffffff', 1.4), key);
    this.lines.renderOrder = 3;
    this.lines.frustumCulled = false;
  }

  /** Draws bodies as a camera at `eye` sees them that looks at `target`. */
  draw(bodies: Pictured[], ends: Float32Array, eye: THREE.Vector3, target: THREE.Vector3, up: THREE.Vector3, clash: string): HTMLCanvasElement {
    const meshes = bodies.map(({ geometry, place, colour }) => {
      const material = new THREE.MeshLambertMaterial({ color: colour, transparent: true, opacity: 0.72, side: THREE.DoubleSide, flatShading: true });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.matrixAutoUpdate = false;
      mesh.matrix.copy(place);
      return mesh;
    });
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(ends, 3));
    this.lines.material.color.set(clash);
    this.scene.add(...meshes, this.lines);
    this.camera.up.copy(up);
    this.camera.position.copy(eye);
    this.camera.lookAt(target);
    const distance = eye.distanceTo(target);
    [this.camera.near, this.camera.far] = [distance / 100, distance * 20];
    this.camera.updateProjectionMatrix();
    const [before, background, opacity] = [this.renderer.getRenderTarget(), this.renderer.getClearColor(new THREE.Color()), this.renderer.getClearAlpha()];
    this.renderer.setRenderTarget(this.target);
    this.renderer.setClearColor('#000000', 0);
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    this.renderer.readRenderTargetPixels(this.target, 0, 0, ...PICTURE, this.pixels);
    this.renderer.setRenderTarget(before);
    this.renderer.setClearColor(background, opacity);
    this.scene.remove(...meshes, this.lines);
    for (const { material } of meshes) material.dispose();
    return this.toCanvas();
  }

  /** The rows of a render target begin at the bottom. */
  private toCanvas(): HTMLCanvasElement {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = PICTURE;
    const context = canvas.getContext('2d')!;
    const image = context.createImageData(...PICTURE);
    const [width, height] = PICTURE;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [from, to] = [4 * ((height - 1 - y) * width + x), 4 * (y * width + x)];
        for (let k = 0; k < 3; k++) image.data[to + k] = this.gamma[this.pixels[from + k]!]!;
        image.data[to + 3] = this.pixels[from + 3]!;
      }
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }
}
