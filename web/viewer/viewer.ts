import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js';
import { Copied, Merged, geometryOf, type Crowd } from './crowd';
import { Clouds } from './clouds';
import { cellOf, clustersOf, type Cluster } from './clusters';
import { make } from './dom';
import { followBand, type Band } from './band';
import { Edges, sharpEdges } from './edges';
import { Floor } from './floor';
import { Frames, type NamedFrame } from './frames';
import { Glass } from './glass';
import { Grids, outlines, type Cell } from './grids';
import { levelsOf } from './levels';
import { commonBeginning } from './names';
import { blankRenderer, rendererOf, type Renderer } from './renderer';
import type { Theme } from './theme';
import { Thumbnails } from './thumbnail';
import { ViewCube, viewOf, VIEWS } from './cube';
import { SecondView } from './second';
import { steered } from './steer';

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

/** Triangles relative to their centre, so that 32-bit coordinates suffice at any position. */
export interface Shape {
  positions: Float32Array;
  triangles: Uint32Array;
  /** Radius of the points of a cloud, which has no triangles. */
  radius?: number;
  /** Length of the cells of a grid, which has their centres and no triangles, and the number of certain ones: the first. */
  cells?: { edge: number; certain: number };
}

/** A shape with a pose. Bodies of one shape share its triangles. */
export interface Body {
  name: string;
  shape: number;
  at: Vec3;
  turn: Quat;
}

/** A pose in the view. */
export interface Frame {
  at: Vec3;
  turn: Quat;
}

/** Look of a highlighted body; all others are drawn together. */
export type Look = 'hidden' | 'first' | 'second' | 'glass' | 'chosen' | 'stopped' | 'ghost';

/** A marked point that can be clicked. */
export interface Mark {
  at: Vec3;
  colour: string;
}

/** An arrow, such as a force or a penetration depth. */
export interface Arrow {
  from: Vec3;
  to: Vec3;
  colour: string;
}

/** A bounding volume of a hierarchy: a sphere or an oriented box. */
export interface Volume {
  at: Vec3;
  turn: Quat;
  half: Vec3;
  round: boolean;
}

export type Axis = 'x' | 'y' | 'z';
export type GizmoMode = 'translate' | 'rotate';

/** Colours of families (the name up to a dot or slash); pale, so that the selection stands out. */
const PALE: Record<Theme, string[]> = {
  light: ['#c3ccd5', '#b4c3d0', '#cfc9bb', '#b9c9b9', '#cdbfc6', '#b2c6c9', '#c5c3d4', '#d0cbc2'],
  dark: ['#7d8894', '#6d7f8f', '#8b8474', '#748774', '#8a7a82', '#6c8386', '#827f94', '#8b857b'],
};
const GHOST = '#8d99a6';
const EDGE: Record<Theme, [string, number]> = { light: ['#3b4754', 0.42], dark: ['#10151b', 0.6] };
/** Above this number of triangles or bodies, edges are not drawn. */
const MOST_EDGED = 400_000;
const MOST_EDGED_BODIES = 4096;
/** Triangles per frame: at rest, and during motion with slow rendering. */
const BUDGET = { gpu: { still: 8_000_000, moving: 1_500_000 }, software: { still: 200_000, moving: 15_000 } };
/** Above this number of triangles, hovering does not pick bodies. */
const MOST_HOVERED = 3_000_000;

/** Orange and blue are colour-blind-safe and differ in brightness. */
export const COLOURS = { first: '#f08c00', second: '#1c7ed6', clash: '#e03131', chosen: '#1c7ed6', clearance: '#0ca678' };

interface Flight {
  from: [THREE.Vector3, THREE.Vector3];
  to: [THREE.Vector3, THREE.Vector3];
  start: number;
  lasts: number;
}

/** The 3D view of a page: draws on demand, holds no verdicts. Lengths are in page units. */
export class Viewer {
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.05, 5000);
  readonly bodies: Body[] = [];
  /** Number of frames drawn, and the times of the last ones in milliseconds, until the GPU finished them. */
  frames = 0;
  readonly frameTimes: number[] = [];
  onPick: (found: { mark: number } | { body: number } | null, event: PointerEvent) => void = () => {};
  onMark: (mark: number | null) => void = () => {};
  /** Time stamp of the pointer event of a drag. */
  pointerTime: number | null = null;
  /** Pose commanded with the gizmo or by dragging the body itself. */
  onDrag: (body: number, at: Vec3, turn: Quat) => void = () => {};
  onDragEnd: (body: number) => void = () => {};
  /** Pose commanded with the gizmo of a frame that is no body's, such as a robot's tool. */
  onDragFrame: (at: Vec3, turn: Quat) => void = () => {};
  onDragFrameEnd: () => void = () => {};
  /** A body that is not selected is about to be dragged. */
  onGrasp: (body: number) => void = () => {};
  /** The secondary button was clicked, on a body or next to all. */
  onMenu: (body: number | null, event: PointerEvent) => void = () => {};
  /** Bodies whose middle is in a frame drawn with Shift and the pointer. */
  onBand: (bodies: number[]) => void = () => {};
  /** The picture is lost or can be drawn again. */
  onPicture: (isDrawn: boolean) => void = () => {};
  /** `true` if the CPU renders. */
  readonly isSoftware: boolean;
  /** `false` if the browser has no WebGL: everything but the picture works. */
  readonly hasPicture: boolean;
  private readonly renderer: Renderer;
  private readonly scene = new THREE.Scene();
  private controls!: OrbitControls;
  private shapes: Shape[] = [];
  private geometries: (THREE.BufferGeometry | undefined)[] = [];
  private crowd: Crowd | null = null;
  private edges: Edges | null = null;
  private readonly clouds: Clouds;
  private readonly grids = new Grids();
  private readonly looks = new Map<number, { look: Look; mesh: THREE.Mesh | null }>();
  private readonly materials: Record<Exclude<Look, 'hidden'>, THREE.MeshLambertMaterial>;
  private readonly plain: THREE.MeshLambertMaterial;
  private readonly others: THREE.MeshLambertMaterial;
  private restShown = true;
  private ghosted = false;
  private marks: Mark[] = [];
  private clusters: Cluster[] = [];
  private cell = 0;
  /** Pressing on any body drags it, not only on the selected one. */
  dragsAny = false;
  /** The selected bodies are visible through others. */
  private readonly veil: THREE.MeshBasicMaterial;
  private readonly cube: ViewCube;
  /** A second view with its own camera, if it is open. */
  second: SecondView | null = null;
  /** The second picture is not that of the present scene. */
  private isSecondAged = true;
  private readonly sun = new THREE.DirectionalLight('#ffffff', 1.5);
  private readonly named: Frames;
  private readonly floor = new Floor();
  private floorStep: [number, Vec3] | null = null;
  private readonly markPoints: THREE.Points;
  private readonly clash: THREE.LineSegments;
  private readonly dots: THREE.Points;
  /** Single points, such as the colliding ones of a cloud. */
  private readonly points: THREE.Points;
  /** Colliding cells of a grid, and the nearest one. */
  private readonly cells: THREE.LineSegments;
  private readonly nearest: THREE.LineSegments;
  private readonly clearance: THREE.LineSegments;
  private readonly clearanceEnds: THREE.Points;
  private readonly clearanceLabel: HTMLElement;
  private clearanceMiddle: THREE.Vector3 | null = null;
  private readonly tip: HTMLElement;
  private readonly arrows = new THREE.Group();
  private readonly volumes = new THREE.Group();
  private readonly glass = new Glass();
  private readonly path: THREE.Line;
  private gizmo: TransformControls | null = null;
  private readonly wanted = new THREE.Object3D();
  private gizmoBody: number | null = null;
  private gizmoFrame: Frame | null = null;
  private readonly whole = new THREE.Box3();
  private flight: Flight | null = null;
  private thumbnails: Thumbnails | null = null;
  private frameRequested = false;
  private unfinished = false;
  private lastFrame = 0;
  private budget = BUDGET.gpu;
  /** Width of a rendered pixel, in screen pixels. */
  private coarse = 1;
  private dragging: { body: number; plane: THREE.Plane; grip: THREE.Vector3 } | null = null;
  private up: Axis = 'z';
  /** Common prefix of all names. */
  private common = '';
  private theme: Theme = 'light';

  constructor(readonly canvas: HTMLCanvasElement) {
    this.isSoftware = drawsInSoftware();
    const renderer = rendererOf(canvas, !this.isSoftware);
    this.hasPicture = renderer !== null;
    this.renderer = renderer ?? blankRenderer();
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.localClippingEnabled = true;
    const material = (color: string, more: THREE.MeshLambertMaterialParameters = {}) =>
      new THREE.MeshLambertMaterial({ color, flatShading: true, side: THREE.DoubleSide, ...more });
    const back = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
    const glass = { transparent: true, depthWrite: false };
    const glowing = (color: string, opacity: number) =>
      material(color, { ...glass, opacity, emissive: color, emissiveIntensity: 0.35 });
    this.plain = material('#ffffff', back);
    this.others = material(GHOST, { ...glass, opacity: 0.06 });
    this.materials = {
      first: glowing(COLOURS.first, 0.6),
      second: glowing(COLOURS.second, 0.6),
      glass: material(COLOURS.second, { ...glass, opacity: 0.14 }),
      chosen: material('#8fc1f0', { ...back, emissive: COLOURS.chosen, emissiveIntensity: 0.25 }),
      stopped: material('#f7c58a', { ...back, emissive: COLOURS.first, emissiveIntensity: 0.35 }),
      ghost: material(GHOST, { ...glass, opacity: 0.18 }),
    };
    const over = { depthTest: false, transparent: true };
    const points = (color: string, size: number) =>
      new THREE.PointsMaterial({ color, size: size * this.renderer.getPixelRatio(), sizeAttenuation: false, ...over });
    const line = (color: string) => new THREE.LineBasicMaterial({ color, ...over });
    this.clash = new THREE.LineSegments(new THREE.BufferGeometry(), line(COLOURS.clash));
    // Lines are one pixel wide on most machines; dots at their ends emphasise them.
    this.dots = new THREE.Points(this.clash.geometry, points(COLOURS.clash, 4));
    this.points = new THREE.Points(new THREE.BufferGeometry(), points(COLOURS.clash, 6));
    this.cells = new THREE.LineSegments(new THREE.BufferGeometry(), line(COLOURS.clash));
    this.nearest = new THREE.LineSegments(new THREE.BufferGeometry(), line(COLOURS.clearance));
    this.clearance = new THREE.LineSegments(new THREE.BufferGeometry(), line(COLOURS.clearance));
    this.clearanceEnds = new THREE.Points(this.clearance.geometry, points(COLOURS.clearance, 7));
    this.path = new THREE.Line(new THREE.BufferGeometry(), line(COLOURS.second));
    const marks = points('#ffffff', 15);
    marks.map = disc();
    marks.vertexColors = true;
    this.markPoints = new THREE.Points(new THREE.BufferGeometry(), marks);
    [this.clash, this.dots, this.points, this.cells, this.nearest, this.clearance, this.clearanceEnds, this.path, this.markPoints].forEach((drawn, order) => {
      drawn.renderOrder = 3 + order;
      drawn.frustumCulled = false;
      this.scene.add(drawn);
    });
    this.clouds = new Clouds(this.camera.fov);
    this.scene.add(this.arrows, this.volumes, this.glass.root, this.wanted, this.clouds.root, this.grids.root);
    this.clearanceLabel = make('div', { className: 'clearance-label', hidden: true });
    this.tip = make('div', { className: 'tip', hidden: true });
    canvas.parentElement!.append(this.clearanceLabel, this.tip);
    this.veil = new THREE.MeshBasicMaterial({ color: COLOURS.chosen, transparent: true, opacity: 0.16, depthTest: false, depthWrite: false });
    this.cube = new ViewCube(canvas.parentElement!, (direction) => this.lookFrom(direction));
    this.named = new Frames(canvas.parentElement!);
    this.scene.add(this.named.lines, this.floor.lines);
    this.light();
    this.setUp('z');
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
    this.listen();
  }

  private light(): void {
    this.scene.add(new THREE.HemisphereLight('#ffffff', '#97a3b0', 1.9));
    this.sun.position.set(0.4, 0.6, 1);
    this.camera.add(this.sun);
    this.scene.add(this.camera);
  }

  /** Sets the up axis. */
  setUp(up: Axis): void {
    if (this.second && up !== this.up) this.openSecond(null);
    this.up = up;
    this.camera.up.set(0, up === 'y' ? 1 : 0, up === 'y' ? 0 : 1);
    const target = (this.controls as OrbitControls | undefined)?.target.clone() ?? new THREE.Vector3();
    (this.controls as OrbitControls | undefined)?.dispose();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.copy(target);
    this.controls.addEventListener('change', () => this.requestFrame(true));
    this.cube.setUp(up);
    this.controls.addEventListener('start', () => {
      this.flight = null;
    });
    this.fit(false);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.bodies.forEach((_, body) => {
      this.crowd?.colour(body, this.paleOf(body));
      this.place(body);
    });
    this.edges?.colour(...EDGE[theme]);
    this.requestFrame();
  }

  /** Bodies that were removed: they count for nothing. */
  private absent = new Set<number>();

  /** Replaces all bodies, some of which were removed. */
  setBodies(shapes: Shape[], bodies: Body[], absent = new Set<number>()): void {
    this.absent = absent;
    this.clearLooks();
    this.crowd?.dispose();
    this.edges?.lines.removeFromParent();
    this.edges?.dispose();
    this.edges = null;
    this.shapes = shapes;
    this.geometries.forEach((geometry) => geometry?.dispose());
    this.geometries = [];
    this.boxes = [];
    this.bodies.splice(0, this.bodies.length, ...bodies);
    this.common = commonBeginning(bodies.map((body) => body.name));
    const drawn = bodies.reduce((sum, body) => sum + shapes[body.shape]!.triangles.length / 3, 0);
    this.budget = BUDGET[this.isSoftware ? 'software' : 'gpu'];
    const levels = shapes.map((shape) => (drawn > this.budget.moving ? levelsOf(shape) : [{ shape, off: 0 }]));
    this.crowd = new (this.isSoftware ? Merged : Copied)(levels, bodies.map((body) => body.shape), this.plain);
    this.crowd.setMaterial(this.ghosted ? this.others : this.plain);
    bodies.forEach((_, body) => this.crowd!.colour(body, this.paleOf(body)));
    this.clouds.set(shapes, bodies.map((body) => body.shape));
    this.grids.set(shapes, bodies.map((body) => body.shape));
    this.scene.add(this.crowd.root);
    if (drawn <= MOST_EDGED && bodies.length <= MOST_EDGED_BODIES) {
      const edges = shapes.map((shape) => sharpEdges(shape.positions, shape.triangles));
      this.edges = new Edges(edges, bodies.map((body) => body.shape));
      this.edges.colour(...EDGE[this.theme]);
      this.scene.add(this.edges.lines);
    }
    bodies.forEach((_, body) => this.place(body));
    this.measure();
    this.requestFrame();
  }

  /** Sets the pose of a body. */
  setPose(body: number, at: Vec3, turn: Quat): void {
    const moved = this.bodies[body];
    if (!moved) return;
    [moved.at, moved.turn] = [at, turn];
    this.place(body);
    this.requestFrame();
  }

  /** Updates the bounding box of all bodies. */
  measure(): void {
    this.whole.makeEmpty();
    this.bodies.forEach((_, body) => !this.absent.has(body) && this.whole.union(this.boxOf(body)));
    this.placeFloor();
  }

  private placeFloor(): void {
    const [step, origin] = this.floorStep ?? [null, [0, 0, 0] as Vec3];
    this.floor.set(this.whole, this.up, step, new THREE.Vector3(...origin));
    this.requestFrame();
  }

  /** Draws a grid below all bodies with lines at multiples of a length from an origin; `null` removes it. */
  setFloor(floor: [number, Vec3] | null): void {
    this.floorStep = floor;
    this.placeFloor();
  }

  /** Draws frames with their names. */
  setFrames(frames: NamedFrame[]): void {
    this.named.set(frames, this.size() * 0.035);
    this.requestFrame();
  }

  private matrixOf(body: number): THREE.Matrix4 {
    const { at, turn } = this.bodies[body]!;
    return new THREE.Matrix4().compose(new THREE.Vector3(...at), new THREE.Quaternion(...turn), new THREE.Vector3(1, 1, 1));
  }

  private boxOf(body: number): THREE.Box3 {
    return this.boxOfShape(this.bodies[body]!.shape).clone().applyMatrix4(this.matrixOf(body));
  }

  private boxes: (THREE.Box3 | undefined)[] = [];

  private boxOfShape(shape: number): THREE.Box3 {
    return (this.boxes[shape] ??= new THREE.Box3().setFromArray(this.shapes[shape]!.positions).expandByScalar((this.shapes[shape]!.cells?.edge ?? 0) / 2));
  }

  private geometryAt(body: number): THREE.BufferGeometry {
    const { shape } = this.bodies[body]!;
    return (this.geometries[shape] ??= geometryOf(this.shapes[shape]!));
  }

  private place(body: number): void {
    const matrix = this.matrixOf(body);
    const special = this.looks.get(body);
    this.crowd?.place(body, matrix, this.restShown && !special);
    const edged = special ? special.look !== 'hidden' && special.look !== 'ghost' && special.look !== 'glass' : this.restShown && !this.ghosted;
    this.edges?.set(body, matrix, edged);
    const [colour, isFaint] = [this.colourOf(body, special?.look), special?.look === 'ghost' || special?.look === 'glass' || (!special && this.ghosted)];
    this.clouds.place(body, matrix, colour, isFaint);
    this.grids.place(body, matrix, colour, isFaint);
    if (special?.mesh) {
      special.mesh.matrix.copy(matrix);
      special.mesh.matrixWorldNeedsUpdate = true;
    }
  }

  /** Colour of the points of a body; `null` if they are hidden. */
  private colourOf(body: number, look?: Look): THREE.Color | null {
    if (look === 'hidden' || (!look && !this.restShown)) return null;
    return look ? this.materials[look].color : this.paleOf(body);
  }

  private paleOf(body: number): THREE.Color {
    const family = this.bodies[body]!.name.slice(this.common.length).split(/[./]/)[0]!;
    const sum = [...family].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 65521, 7);
    const pale = PALE[this.theme];
    return new THREE.Color(pale[sum % pale.length]!);
  }

  private clearLooks(): void {
    for (const { mesh } of this.looks.values()) mesh?.removeFromParent();
    this.looks.clear();
  }

  /** Sets the looks of single bodies and of the rest. */
  setLooks(looks: Map<number, Look>, rest: 'plain' | 'ghost' | 'hidden'): void {
    this.clearLooks();
    this.restShown = rest !== 'hidden';
    this.ghosted = rest === 'ghost';
    this.crowd?.setMaterial(this.ghosted ? this.others : this.plain);
    for (const [body, look] of looks) {
      let mesh: THREE.Mesh | null = null;
      if (look !== 'hidden' && this.bodies[body]) {
        const geometry = this.geometryAt(body);
        mesh = new THREE.Mesh(geometry, this.materials[look]);
        mesh.matrixAutoUpdate = false;
        mesh.renderOrder = look === 'first' || look === 'second' ? 2 : look === 'glass' ? 1 : 0;
        if (look === 'chosen' || look === 'stopped') {
          const through = new THREE.Mesh(geometry, this.veil);
          through.renderOrder = 2;
          mesh.add(through);
        }
        this.scene.add(mesh);
      }
      this.looks.set(body, { look, mesh });
    }
    this.bodies.forEach((_, body) => this.place(body));
    this.requestFrame();
  }

  /** Sets the points that can be clicked. */
  setMarks(marks: Mark[]): void {
    this.marks = marks;
    this.cell = 0;
    this.cluster();
    this.requestFrame();
  }

  /** Joins marks that would hide the bodies at the present distance. */
  private cluster(): void {
    const cell = cellOf(2 * this.camera.position.distanceTo(this.controls.target) * Math.tan((this.camera.fov * Math.PI) / 360));
    if (cell === this.cell) return;
    this.cell = cell;
    const marks = (this.clusters = clustersOf(this.marks, cell));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(marks.flatMap((mark) => mark.at), 3));
    geometry.setAttribute('color', new THREE.Float32BufferAttribute(marks.flatMap((mark) => new THREE.Color(mark.colour).toArray()), 3));
    this.markPoints.geometry.dispose();
    this.markPoints.geometry = geometry;
    this.markPoints.visible = marks.length > 0;
  }

  /** For tests: the number of marks of each drawn point. */
  clusterSizes(): number[] {
    return this.clusters.map(({ members }) => members.length);
  }

  /** Hides marks in screenshots of colour tests. */
  showMarks(shown: boolean): void {
    this.markPoints.visible = shown && this.marks.length > 0;
  }

  /** Sets the segments of the intersection curve. */
  setSegments(ends: Float32Array): void {
    this.clash.geometry.dispose();
    this.clash.geometry = this.dots.geometry = new THREE.BufferGeometry();
    this.clash.geometry.setAttribute('position', new THREE.BufferAttribute(ends, 3));
    this.clash.visible = this.dots.visible = ends.length > 0;
    this.requestFrame();
  }

  /** Sets the emphasised points. */
  setPoints(points: Vec3[]): void {
    this.points.geometry.dispose();
    this.points.geometry = new THREE.BufferGeometry();
    this.points.geometry.setAttribute('position', new THREE.Float32BufferAttribute(points.flat(), 3));
    this.points.visible = points.length > 0;
    this.requestFrame();
  }

  /** Sets the outlined cells. */
  setCells(cells: Cell[]): void {
    this.outline(this.cells, cells);
  }

  private outline(drawn: THREE.LineSegments, cells: Cell[]): void {
    drawn.geometry.dispose();
    drawn.geometry = new THREE.BufferGeometry();
    drawn.geometry.setAttribute('position', new THREE.BufferAttribute(outlines(cells), 3));
    drawn.visible = cells.length > 0;
    this.requestFrame();
  }

  /** The measured clearance as a line with its length; a cell of a grid at its end is outlined. */
  setClearance(line: [Vec3, Vec3] | null, label = ''): void {
    this.outline(this.nearest, line ? this.grids.at(line).slice(0, 8) : []);
    this.clearance.visible = this.clearanceEnds.visible = line !== null;
    this.clearanceMiddle = null;
    if (line) {
      this.clearance.geometry.setAttribute('position', new THREE.Float32BufferAttribute(line.flat(), 3));
      this.clearanceMiddle = new THREE.Vector3(...line[0]).add(new THREE.Vector3(...line[1])).multiplyScalar(0.5);
    }
    this.clearanceLabel.textContent = label;
    this.clearanceLabel.hidden = !line || label === '';
    this.requestFrame();
  }

  setPath(points: Vec3[]): void {
    this.path.geometry.dispose();
    this.path.geometry = new THREE.BufferGeometry();
    this.path.geometry.setAttribute('position', new THREE.Float32BufferAttribute(points.flat(), 3));
    this.path.visible = points.length > 1;
    this.requestFrame();
  }

  setArrows(arrows: Arrow[]): void {
    for (const arrow of this.arrows.children) (arrow as THREE.ArrowHelper).dispose();
    this.arrows.clear();
    for (const { from, to, colour } of arrows) {
      const path = new THREE.Vector3(...to).sub(new THREE.Vector3(...from));
      const length = path.length();
      if (length === 0) continue;
      const arrow = new THREE.ArrowHelper(path.normalize(), new THREE.Vector3(...from), length, colour, length * 0.2, length * 0.1);
      // Contact points are often hidden inside the bodies.
      for (const part of [arrow.line, arrow.cone]) {
        (part.material as THREE.Material).depthTest = false;
        part.renderOrder = 3;
      }
      this.arrows.add(arrow);
    }
    this.requestFrame();
  }

  /** Displays bounding volumes, transparent with edges. */
  setVolumes(volumes: Volume[], colour: string): void {
    for (const child of this.volumes.children as THREE.InstancedMesh[]) {
      child.geometry.dispose();
      (child.material as THREE.Material).dispose();
      child.dispose();
    }
    this.volumes.clear();
    if (volumes.length > 0) {
      const round = volumes[0]!.round;
      const geometry = round ? new THREE.SphereGeometry(1, 20, 14) : new THREE.BoxGeometry(2, 2, 2);
      const glass = new THREE.MeshLambertMaterial({ color: colour, transparent: true, opacity: round ? 0.1 : 0.12, depthWrite: false, side: THREE.DoubleSide });
      const many = new THREE.InstancedMesh(geometry, glass, volumes.length);
      const wire = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({ color: colour, wireframe: true, transparent: true, opacity: round ? 0.1 : 0.35 }), volumes.length);
      volumes.forEach(({ at, turn, half }, number) => {
        const place = new THREE.Matrix4().compose(new THREE.Vector3(...at), new THREE.Quaternion(...turn), new THREE.Vector3(...half));
        many.setMatrixAt(number, place);
        wire.setMatrixAt(number, place);
      });
      this.volumes.add(many, wire);
    }
    this.requestFrame();
  }

  /** Displays a translucent mesh at a position, such as a swept volume; `null` removes it. */
  setGlass(shape: Shape | null, at: Vec3, colour: string): void {
    this.glass.set(shape, at, colour);
    this.requestFrame();
  }

  /** Sets a section plane normal to an axis, at a fraction of the bounding box; `null` removes it. */
  setSection(axis: Axis | null, share = 0.5): void {
    let planes: THREE.Plane[] = [];
    if (axis && !this.whole.isEmpty()) {
      const normal = new THREE.Vector3(axis === 'x' ? -1 : 0, axis === 'y' ? -1 : 0, axis === 'z' ? -1 : 0);
      const [low, high] = [this.whole.min[axis], this.whole.max[axis]];
      planes = [new THREE.Plane(normal, low + (high - low) * share)];
    }
    this.renderer.clippingPlanes = planes;
    this.requestFrame();
  }

  /** Sets or removes the gizmo. It calls `onDrag`; only `setPose` moves the body. */
  setGizmo(body: number | null, mode: GizmoMode = 'translate', local = false, snap: number | null = null): void {
    [this.gizmoBody, this.gizmoFrame] = [body, null];
    if (body !== null) return this.attachGizmo(mode, local, snap);
    this.gizmo?.detach();
    this.requestFrame();
  }

  /** Sets the gizmo at a frame that is no body's. It calls `onDragFrame`; only `moveFrame` moves the frame. */
  setFrameGizmo(frame: Frame, mode: GizmoMode, local: boolean): void {
    [this.gizmoBody, this.gizmoFrame] = [null, frame];
    this.attachGizmo(mode, local, null);
  }

  /** Moves the frame of the gizmo, if there is one. */
  moveFrame(frame: Frame): void {
    if (!this.gizmoFrame) return;
    this.gizmoFrame = frame;
    this.restGizmo();
  }

  private attachGizmo(mode: GizmoMode, local: boolean, snap: number | null): void {
    if (!this.gizmo) {
      this.gizmo = new TransformControls(this.camera, this.canvas);
      this.gizmo.setSize(0.8);
      this.gizmo.addEventListener('change', () => this.requestFrame());
      this.gizmo.addEventListener('dragging-changed', (event) => {
        this.controls.enabled = !event.value;
        if (event.value) return;
        if (this.gizmoFrame) this.onDragFrameEnd();
        else if (this.gizmoBody !== null) this.onDragEnd(this.gizmoBody);
      });
      this.gizmo.addEventListener('objectChange', () => this.commandPose());
      this.scene.add(this.gizmo.getHelper());
    }
    this.gizmo.setMode(mode);
    this.gizmo.setSpace(local ? 'local' : 'world');
    this.gizmo.setTranslationSnap(snap);
    this.gizmo.setRotationSnap(snap === null ? null : Math.PI / 36);
    this.restGizmo();
    this.gizmo.attach(this.wanted);
    this.requestFrame();
  }

  /** Moves the gizmo to the pose of its body or frame. */
  restGizmo(): void {
    const frame = this.gizmoFrame ?? (this.gizmoBody === null ? null : this.bodies[this.gizmoBody]);
    if (!frame || this.isDragging()) return;
    this.wanted.position.set(...frame.at);
    this.wanted.quaternion.set(...frame.turn);
    this.requestFrame();
  }

  isDragging(): boolean {
    return this.dragging !== null || this.gizmo?.dragging === true;
  }

  private commandPose(): void {
    const [at, turn] = [this.wanted.position.toArray() as Vec3, this.wanted.quaternion.toArray() as Quat];
    if (this.gizmoFrame) this.onDragFrame(at, turn);
    else if (this.gizmoBody !== null) this.onDrag(this.gizmoBody, at, turn);
  }

  /** Zooms to a point; `radius` fills the view. */
  lookAt(at: Vec3, radius: number): void {
    this.fly(new THREE.Vector3(...at), Math.max(radius * 3.6, this.size() * 0.02));
  }

  /** Zooms to the contact of two bodies; if one contains the other, to the inner one. */
  lookAtPair(pair: [number, number], place: Vec3 | null, ends: Float32Array, outer: number | null = null): void {
    if (outer !== null) return this.lookAtBody(pair[0] === outer ? pair[1] : pair[0]);
    const { target, distance } = this.framing(pair, place, ends);
    this.fly(target, distance);
  }

  /** Target and distance of a camera that frames a pair. */
  private framing(pair: [number, number], place: Vec3 | null, ends: Float32Array): { target: THREE.Vector3; distance: number } {
    const boxes = pair.map((body) => this.boxOf(body));
    const radius = (box: THREE.Box3) => box.getSize(new THREE.Vector3()).length() / 2;
    const target = place ? new THREE.Vector3(...place) : boxes[0]!.getCenter(new THREE.Vector3());
    let near = Math.min(...boxes.map(radius));
    if (ends.length > 0) {
      const box = new THREE.Box3().setFromArray(ends);
      box.getCenter(target);
      near = Math.max(radius(box) * 1.6, Math.min(near, this.size() * 0.06));
    }
    const distance = Math.max(near * 3.6, this.size() * 0.02);
    // From outside: a camera within one of the bodies shows nothing but its inside.
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    const outside = Math.max(...boxes.map((box) => exitOf(box, target, direction)));
    const most = (0.5 * this.size()) / Math.sin((this.camera.fov * Math.PI) / 360);
    return { target, distance: Math.max(distance, Math.min(outside * 1.25, most)) };
  }

  /** A small picture of a pair, with the lines where the bodies intersect. */
  thumbnail(pair: [number, number], place: Vec3 | null, ends: Float32Array): HTMLCanvasElement {
    if (!this.hasPicture) return make('canvas');
    const { target, distance } = this.framing(pair, place, ends);
    const direction = this.up === 'y' ? new THREE.Vector3(0.55, 0.6, 0.75) : new THREE.Vector3(0.55, -0.75, 0.6);
    const eye = target.clone().addScaledVector(direction.normalize(), distance);
    const bodies = pair.map((body, k) => ({ geometry: this.geometryAt(body), place: this.matrixOf(body), colour: k === 0 ? COLOURS.first : COLOURS.second }));
    this.thumbnails ??= new Thumbnails(this.renderer);
    return this.thumbnails.draw(bodies, ends, eye, target, this.camera.up, COLOURS.clash);
  }

  lookAtBody(body: number): void {
    const box = this.boxOf(body);
    const radius = box.getSize(new THREE.Vector3()).length() / 2;
    this.fly(box.getCenter(new THREE.Vector3()), Math.max(radius * 4.5, this.size() * 0.05));
  }

  size(): number {
    return this.whole.isEmpty() ? 1 : this.whole.getSize(new THREE.Vector3()).length();
  }

  /** Fits all bodies into the view. */
  fit(animated = true): void {
    const middle = this.whole.isEmpty() ? new THREE.Vector3() : this.whole.getCenter(new THREE.Vector3());
    const narrow = Math.min(1, this.camera.aspect);
    const distance = (0.5 * this.size()) / Math.sin((this.camera.fov * Math.PI) / 360) / narrow * 0.98;
    const direction = this.up === 'y' ? new THREE.Vector3(0.55, 0.6, 0.75) : new THREE.Vector3(0.55, -0.75, 0.6);
    this.fly(middle, distance, direction.normalize(), animated);
  }

  /** Opens a second view with its own camera in an element; `null` closes it. */
  openSecond(parent: HTMLElement | null): void {
    this.second?.dispose();
    this.second?.camera.removeFromParent();
    this.second = null;
    if (parent) {
      this.second = new SecondView(parent, {
        request: () => this.requestFrame(),
        whole: () => ({ middle: this.whole.isEmpty() ? new THREE.Vector3() : this.whole.getCenter(new THREE.Vector3()), size: this.size() }),
        pick: (ray, event) => {
          const body = this.bodyOn(ray)?.body ?? null;
          this.onPick(body === null ? null : { body }, event);
        },
      }, this.up);
      this.scene.add(this.second.camera);
    }
    this.requestFrame();
  }

  /** A standard view by its name, of the second view if it has the focus. */
  standardView(name: string): void {
    const view = VIEWS[name];
    if (!view) return;
    const direction = viewOf(view, this.up);
    if (this.second && this.second.canvas.parentElement!.contains(document.activeElement)) this.second.lookFrom(direction);
    else this.lookFrom(direction);
  }

  /** Draws the second view with the light and the renderer of the first. */
  private drawSecond(): void {
    if (!this.second || !this.isSecondAged || !this.hasPicture) return;
    this.isSecondAged = false;
    const gizmo = this.gizmo?.getHelper();
    const wasShown = gizmo?.visible ?? false;
    if (gizmo) gizmo.visible = false;
    this.second.camera.add(this.sun);
    this.second.draw(this.renderer, this.scene);
    this.camera.add(this.sun);
    if (gizmo) gizmo.visible = wasShown;
  }

  /** Views all bodies from a direction. */
  lookFrom(direction: Vec3): void {
    const middle = this.whole.isEmpty() ? new THREE.Vector3() : this.whole.getCenter(new THREE.Vector3());
    const distance = (0.5 * this.size()) / Math.sin((this.camera.fov * Math.PI) / 360) / Math.min(1, this.camera.aspect);
    this.fly(middle, distance, new THREE.Vector3(...direction).normalize());
  }

  private fly(target: THREE.Vector3, distance: number, direction?: THREE.Vector3, animated = true): void {
    direction ??= this.camera.position.clone().sub(this.controls.target).normalize();
    const place = target.clone().addScaledVector(direction, distance);
    const lasts = animated && !matchMedia('(prefers-reduced-motion: reduce)').matches ? 550 : 0;
    this.flight = { from: [this.camera.position.clone(), this.controls.target.clone()], to: [place, target], start: performance.now(), lasts };
    this.requestFrame(true);
  }

  /** Advances the camera motion; returns `true` until its end. */
  private advance(now: number): boolean {
    if (!this.flight) return false;
    const { from, to, start, lasts } = this.flight;
    const t = lasts > 0 ? Math.min(Math.max((now - start) / lasts, 0), 1) : 1;
    const eased = t * t * (3 - 2 * t);
    this.camera.position.lerpVectors(from[0], to[0], eased);
    this.controls.target.lerpVectors(from[1], to[1], eased);
    if (t >= 1) this.flight = null;
    this.controls.update();
    return t < 1;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    this.renderer.setSize(width, height, false);
    const before = Math.min(1, this.camera.aspect);
    this.camera.aspect = width / Math.max(height, 1);
    // The visible width is kept in a narrower view.
    const further = before / Math.min(1, this.camera.aspect) - 1;
    this.camera.position.addScaledVector(this.camera.position.clone().sub(this.controls.target), further);
    this.flight?.to[0].addScaledVector(this.flight.to[0].clone().sub(this.flight.to[1]), further);
    this.camera.updateProjectionMatrix();
    this.requestFrame();
  }

  /** Requests a frame. If only the first camera has moved, the second picture stays. */
  requestFrame(isCamera = false): void {
    if (!isCamera) this.isSecondAged = true;
    if (this.frameRequested) return;
    this.frameRequested = true;
    document.body.dataset.still = 'false';
    this.next();
  }

  /**
   * Renders one frame at a time: the next starts when the GPU has finished the last. Otherwise frames queue up on slow
   * machines, and the page becomes unresponsive.
   */
  private next(): void {
    if (this.unfinished) return;
    requestAnimationFrame((now) => {
      this.frameRequested = false;
      const more = this.advance(now);
      this.sharpen(!more && !this.isDragging());
      this.draw();
      this.watch(more);
    });
  }

  /** Waits for the end of the requested frame. */
  private watch(more: boolean): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext | null;
    const start = performance.now();
    const fence = gl && gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl?.flush();
    this.unfinished = true;
    const look = () => {
      const isDone = !gl || !fence || gl.isContextLost() || gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.SIGNALED;
      if (!isDone && performance.now() - start < 3000) {
        setTimeout(look, 3);
        return;
      }
      gl?.deleteSync(fence);
      this.unfinished = false;
      this.lastFrame = performance.now() - start;
      this.frameTimes.push(this.lastFrame);
      if (this.frameTimes.length > 400) this.frameTimes.shift();
      if (more && !this.frameRequested) this.requestFrame(true);
      else if (this.frameRequested) this.next();
      else if (this.coarse > 1 && !this.isDragging()) this.requestFrame();
      else document.body.dataset.still = 'true';
    };
    setTimeout(look, 0);
  }

  /** Lowers the resolution during motion if rendering is slow; restores it at rest. */
  private sharpen(isStill: boolean): void {
    const wanted = isStill ? 1 : this.lastFrame > 45 ? Math.min(this.coarse + 1, 2) : this.coarse;
    if (wanted === this.coarse) return;
    this.coarse = wanted;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) / wanted);
  }

  /** Selects coarser shapes for bodies that are small in the view, as required by the budget. */
  private chooseLevels(): void {
    const zoom = this.canvas.clientHeight / this.coarse / 2 / Math.tan((this.camera.fov * Math.PI) / 360);
    this.crowd?.choose(this.camera.position, zoom, this.coarse > 1 ? this.budget.moving : this.budget.still);
    this.crowd?.flush();
    // Edges are those of the original shapes.
    if (this.edges) this.edges.lines.visible = this.coarse === 1;
  }

  draw(): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 500;
    this.camera.far = distance + 4 * this.size();
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.chooseLevels();
    if (this.marks.length > 0 && this.markPoints.visible) this.cluster();
    this.cube.turn(this.camera);
    this.drawSecond();
    this.renderer.render(this.scene, this.camera);
    this.frames++;
    if (this.named.lines.visible) this.named.label((point) => this.project(point), this.canvas.clientWidth, this.canvas.clientHeight);
    if (this.clearanceMiddle) {
      const [x, y] = this.onScreen(this.clearanceMiddle.toArray() as Vec3);
      this.clearanceLabel.style.transform = `translate(${x + 10}px, ${y - 10}px)`;
    }
  }

  /** Draw calls and triangles of the last frame. */
  cost(): { calls: number; triangles: number; geometries: number } {
    const { render, memory } = this.renderer.info;
    return { calls: render.calls, triangles: render.triangles, geometries: memory.geometries };
  }

  /** Normalised device coordinates of a point, from -1 to 1. */
  project(point: Vec3): Vec3 {
    return new THREE.Vector3(...point).project(this.camera).toArray() as Vec3;
  }

  /** Screen coordinates of a point, in pixels. */
  onScreen(point: Vec3): [number, number] {
    const [x, y] = this.project(point);
    return [((x + 1) / 2) * this.canvas.clientWidth, ((1 - y) / 2) * this.canvas.clientHeight];
  }

  private listen(): void {
    let down: [number, number] | null = null;
    let hovered = false;
    this.canvas.addEventListener('pointerdown', (event) => {
      down = [event.clientX, event.clientY];
      this.tip.hidden = true;
      this.beginDrag(event);
    }, { capture: true });
    // Registered before the gizmo's listener on the document.
    addEventListener('pointermove', (event) => {
      this.pointerTime = this.isDragging() ? event.timeStamp : null;
    }, { capture: true });
    this.canvas.addEventListener('pointermove', (event) => {
      if (this.dragging) this.drag(event);
      if (event.buttons !== 0 || hovered) return;
      hovered = true;
      requestAnimationFrame(() => {
        hovered = false;
        this.hover(event);
      });
    });
    this.canvas.addEventListener('pointerleave', () => {
      this.tip.hidden = true;
    });
    this.canvas.addEventListener('pointerup', (event) => {
      if (this.dragging) {
        const { body } = this.dragging;
        this.dragging = this.pointerTime = null;
        this.controls.enabled = true;
        this.onDragEnd(body);
      }
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4 || event.button !== 0) return;
      const mark = this.markAt(event);
      if (mark !== null && this.clusters[mark]!.members.length > 1) return this.lookInto(this.clusters[mark]!);
      const body = mark === null ? this.bodyAt(event)?.body ?? null : null;
      this.onPick(mark !== null ? { mark: this.clusters[mark]!.members[0]! } : body !== null ? { body } : null, event);
    });
    this.canvas.addEventListener('keydown', (event) => this.steer(event));
    // The secondary button turns up the menu unless it has moved the view.
    this.canvas.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      const isMoved = down !== null && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4;
      if (!isMoved) this.onMenu(this.bodyAt(event as PointerEvent)?.body ?? null, event as PointerEvent);
    });
    followBand(this.canvas, (held) => (this.controls.enabled = !held), (band) => this.onBand(this.bodiesIn(band)));
    this.canvas.addEventListener('webglcontextlost', () => this.onPicture(false));
    this.canvas.addEventListener('webglcontextrestored', () => {
      this.onPicture(true);
      this.requestFrame();
    });
  }

  /** Bodies that are shown and whose middle is within a frame of the screen. */
  private bodiesIn({ left, top, right, bottom }: Band): number[] {
    const isIn = (body: number) => {
      const special = this.looks.get(body)?.look;
      if (this.absent.has(body) || special === 'hidden' || (!special && !this.restShown)) return false;
      const [x, y] = this.onScreen(this.boxOf(body).getCenter(new THREE.Vector3()).toArray() as Vec3);
      return x >= left && x <= right && y >= top && y <= bottom;
    };
    return this.bodies.map((_, body) => body).filter(isIn);
  }

  /** Zooms to the marks of a cluster. */
  private lookInto({ members }: Cluster): void {
    const box = new THREE.Box3().setFromPoints(members.map((member) => new THREE.Vector3(...this.marks[member]!.at)));
    this.fly(box.getCenter(new THREE.Vector3()), Math.max(box.getSize(new THREE.Vector3()).length() * 2.2, this.size() * 0.04));
  }

  /** Turns and moves the camera by keys. */
  private steer(event: KeyboardEvent): void {
    const next = steered(event, this.camera, this.controls.target);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    this.flight = null;
    this.camera.position.copy(this.controls.target).add(next);
    this.controls.update();
    this.requestFrame(true);
  }

  /** Starts to drag the body with the gizmo, or any body where that is set, in the view plane. */
  private beginDrag(event: PointerEvent): void {
    if (event.button !== 0 || event.shiftKey || (this.gizmo as unknown as { axis: string | null } | null)?.axis) return;
    if (this.gizmoBody === null && !this.dragsAny) return;
    const found = this.bodyAt(event);
    if (!found || (found.body !== this.gizmoBody && !this.dragsAny)) return;
    if (found.body !== this.gizmoBody) this.onGrasp(found.body);
    if (this.gizmoBody !== found.body) return;
    const normal = this.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, found.point);
    this.dragging = { body: found.body, plane, grip: found.point.clone().sub(new THREE.Vector3(...this.bodies[found.body]!.at)) };
    this.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
  }

  private drag(event: PointerEvent): void {
    const { body, plane, grip } = this.dragging!;
    const at = this.ray(event).ray.intersectPlane(plane, new THREE.Vector3())?.sub(grip);
    if (at) this.onDrag(body, at.toArray() as Vec3, this.bodies[body]!.turn);
  }

  private hover(event: PointerEvent): void {
    const mark = this.markAt(event);
    this.onMark(mark === null ? null : this.clusters[mark]!.members[0]!);
    const costly = this.cost().triangles > MOST_HOVERED;
    const body = costly || this.isDragging() ? null : this.bodyAt(event)?.body ?? null;
    this.tip.hidden = body === null;
    this.canvas.style.cursor = mark !== null ? 'pointer' : '';
    if (body !== null) {
      const box = this.canvas.getBoundingClientRect();
      this.tip.textContent = this.bodies[body]!.name;
      this.tip.style.transform = `translate(${event.clientX - box.left + 14}px, ${event.clientY - box.top + 14}px)`;
    }
  }

  private ray(event: PointerEvent): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    ray.setFromCamera(new THREE.Vector2(x * 2 - 1, 1 - y * 2), this.camera);
    return ray;
  }

  private markAt(event: PointerEvent): number | null {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const found = this.clusters.findIndex((mark) => {
      const [u, v] = this.onScreen(mark.at);
      return Math.hypot(u - x, v - y) < 10;
    });
    return found < 0 ? null : found;
  }

  /** The point of a body under the pointer. */
  pointAt(event: PointerEvent): Vec3 | null {
    return (this.bodyAt(event)?.point.toArray() as Vec3 | undefined) ?? null;
  }

  private bodyAt(event: PointerEvent): { body: number; point: THREE.Vector3 } | null {
    return this.bodyOn(this.ray(event));
  }

  private bodyOn(ray: THREE.Raycaster): { body: number; point: THREE.Vector3 } | null {
    const meshes = [...this.looks].filter(([, { mesh, look }]) => mesh && look !== 'glass' && look !== 'ghost');
    const hits = meshes.flatMap(([body, { mesh }]) => {
      mesh!.updateMatrixWorld();
      return ray.intersectObject(mesh!, false).map((hit) => ({ body, point: hit.point, distance: hit.distance }));
    });
    if (this.crowd && this.restShown && !this.ghosted) hits.push(...this.crowd.hits(ray));
    hits.push(...this.clouds.hits(ray), ...this.grids.hits(ray));
    const planes = this.renderer.clippingPlanes as THREE.Plane[];
    const seen = hits.filter(({ point }) => planes.every((plane) => plane.distanceToPoint(point) >= 0));
    return seen.sort((one, other) => one.distance - other.distance)[0] ?? null;
  }
}

/** Distance from a point within a box to its surface along a direction; 0 from outside. */
function exitOf(box: THREE.Box3, from: THREE.Vector3, direction: THREE.Vector3): number {
  if (!box.containsPoint(from)) return 0;
  const along = (['x', 'y', 'z'] as Axis[]).map((axis) => {
    const by = direction[axis];
    return by === 0 ? Infinity : ((by > 0 ? box.max[axis] : box.min[axis]) - from[axis]) / by;
  });
  return Math.min(...along);
}

/** Returns `true` if the browser renders without a GPU. */
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const about = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = about ? String(gl!.getParameter(about.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** A round mark with a rim. */
function disc(): THREE.CanvasTexture {
  const canvas = make('canvas', { width: 64, height: 64 });
  const pen = canvas.getContext('2d')!;
  pen.arc(32, 32, 25, 0, 2 * Math.PI);
  pen.fillStyle = '#fff';
  pen.fill();
  pen.lineWidth = 7;
  pen.strokeStyle = '#333';
  pen.stroke();
  return new THREE.CanvasTexture(canvas);
}
