import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { ViewCube } from './cube';
import { make } from './dom';
import { steered } from './steer';
import type { Axis, Vec3 } from './viewer';

/** What a second view uses of the first. */
export interface Host {
  /** Requests a frame of this view. */
  request(): void;
  /** Middle and size of all bodies. */
  whole(): { middle: THREE.Vector3; size: number };
  /** A click on what a ray hits first. */
  pick(ray: THREE.Raycaster, event: PointerEvent): void;
}

/** A second view of the same scene with its own camera. The renderer of the first view draws it; its picture is copied here. */
export class SecondView {
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.05, 5000);
  readonly canvas: HTMLCanvasElement;
  readonly cube: ViewCube;
  /** Number of pictures drawn. */
  frames = 0;
  private readonly controls: OrbitControls;
  private readonly resizes: ResizeObserver;

  constructor(private readonly parent: HTMLElement, private readonly host: Host, up: Axis) {
    this.canvas = make('canvas', { tabIndex: 0 }, [], { 'aria-label': 'Second 3D view of the scene', 'data-second': 'view' });
    parent.append(this.canvas);
    this.camera.up.set(0, up === 'y' ? 1 : 0, up === 'y' ? 0 : 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener('change', () => host.request());
    this.cube = new ViewCube(parent, (direction) => this.lookFrom(direction));
    this.cube.setUp(up);
    this.listen();
    this.resizes = new ResizeObserver(() => this.resize());
    this.resizes.observe(parent);
    this.lookFrom(up === 'y' ? [0, 1, 0.01] : [0, -0.01, 1]);
  }

  private listen(): void {
    let down: [number, number] | null = null;
    this.canvas.addEventListener('pointerdown', (event) => (down = [event.clientX, event.clientY]));
    this.canvas.addEventListener('pointerup', (event) => {
      if (!down || event.button !== 0 || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const box = this.canvas.getBoundingClientRect();
      const ray = new THREE.Raycaster();
      ray.setFromCamera(new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2), this.camera);
      this.host.pick(ray, event);
    });
    this.canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    this.canvas.addEventListener('keydown', (event) => {
      const next = steered(event, this.camera, this.controls.target);
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      this.camera.position.copy(this.controls.target).add(next);
      this.controls.update();
      this.host.request();
    });
  }

  private resize(): void {
    this.camera.aspect = this.parent.clientWidth / Math.max(this.parent.clientHeight, 1);
    this.host.request();
  }

  /** Views all bodies from a direction. */
  lookFrom(direction: Vec3): void {
    const { middle, size } = this.host.whole();
    const distance = (0.5 * size) / Math.sin((this.camera.fov * Math.PI) / 360) / Math.min(1, this.camera.aspect);
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(new THREE.Vector3(...direction).normalize(), distance);
    this.controls.update();
    this.host.request();
  }

  /** Frames a point from the present direction. */
  lookAt(at: THREE.Vector3, distance: number): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(at);
    this.camera.position.copy(at).addScaledVector(direction, distance);
    this.controls.update();
    this.host.request();
  }

  /** Draws the scene as large as this view is, but not larger than the first one, and copies the picture. */
  draw(renderer: THREE.WebGLRenderer, scene: THREE.Scene): void {
    const { clientWidth: width, clientHeight: height } = this.parent;
    if (width === 0 || height === 0) return;
    const [ratio, whole] = [renderer.getPixelRatio(), renderer.getSize(new THREE.Vector2())];
    const share = Math.min(1, whole.x / width, whole.y / height);
    const { size } = this.host.whole();
    const distance = this.camera.position.distanceTo(this.controls.target);
    [this.camera.near, this.camera.far] = [distance / 500, distance + 4 * size];
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    renderer.setViewport(0, 0, width * share, height * share);
    renderer.setScissor(0, 0, width * share, height * share);
    renderer.setScissorTest(true);
    renderer.render(scene, this.camera);
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, whole.x, whole.y);
    const [w, h] = [Math.round(width * share * ratio), Math.round(height * share * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    const pen = this.canvas.getContext('2d')!;
    pen.clearRect(0, 0, w, h);
    // The picture of the renderer begins at the bottom.
    pen.drawImage(renderer.domElement, 0, renderer.domElement.height - h, w, h, 0, 0, w, h);
    this.cube.turn(this.camera);
    this.frames++;
  }

  dispose(): void {
    this.resizes.disconnect();
    this.controls.dispose();
    this.parent.replaceChildren();
  }
}
