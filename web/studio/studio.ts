import {
  COLOURS, Timeline, Viewer, curvesOfRoom, decode, element, make, poseAt, short,
  type Axis, type Frame, type GizmoMode, type Look, type Quat, type Shape, type Track, type Vec3,
} from 'noli-viewer';
import { Link, fetchShapes, fetchSwept } from './link';
import { changedResults } from './types';
import { ValueStore } from './values';
import type { BodyView, Branch, DragMode, Edits, Event, Clearance, Group, Hello, Jogged, LabRecord, PairView, Part, Results, Robot, Rules, Stored, Swept, TrackView, TreeView } from './types';

/** Times of answers that are kept, at most. */
const MOST_TIMES = 4000;
/** Played paths that are compared, at most. */
const MOST_PLAYED = 40;

/** Path of the centre of a body, with its orientations. */
export interface HandPath {
  body: number;
  places: [...Vec3, ...Quat][];
}

/** Figures of a played path of one body. */
export interface PlayedPath {
  body: string;
  free: boolean;
  /** Length of the path of its centre, in the unit of the scene. */
  length: number;
  /** Proven smallest clearance along it; `null` if there is none. */
  clearance: number | null;
}

/** State of the page and its changes. Verdicts come from the server alone. */
export class Studio {
  readonly viewer: Viewer;
  readonly link = new Link();
  hello: Hello | null = null;
  bodies: BodyView[] = [];
  results: Results | null = null;
  rules: Rules = { margin: 0, by_hand: [], off: [], is_whole: true, patterns: [] };
  /** Groups made by hand. */
  groups: Group[] = [];
  /** Bodies whose pairs with a body are disabled, where not all pairs are listed. */
  disabledWith: { body: number; off: number[] } | null = null;
  /** Depths and volumes of pairs. */
  readonly values = new ValueStore(this);
  edits: Edits = { undo: null, redo: null, unsaved: 0 };
  chosen: number | null = null;
  /** Further selected bodies; they are moved, hidden and isolated with the first. */
  readonly also = new Set<number>();
  pair: PairView | null = null;
  readonly hidden = new Set<number>();
  isolated: Set<number> | null = null;
  /** Bodies that this tab does not move. */
  readonly locked = new Set<number>();
  /** X-ray: all bodies but the selected one transparent. */
  seeThrough = false;
  /** The other body of the pair from which the selected one was selected, and whether it contains it. */
  partner: number | null = null;
  private isWithin = false;
  mode: DragMode = 'stop';
  gizmo: GizmoMode = 'translate';
  local = false;
  snap: number | null = null;
  stopped: { by: number; text: string } | null = null;
  clearance: Clearance | null = null;
  track: TrackView | null = null;
  tree: TreeView | null = null;
  /** The swept volume that is shown. */
  swept: Swept | null = null;
  robot: Robot | null = null;
  jogged: Jogged | null = null;
  /** The gizmo at the tool of the robot, if it is shown. */
  toolGizmo: GizmoMode | null = null;
  /** Axes of tool steps and of the gizmo at the tool: those of the tool, or those of the world. */
  isToolFrame = false;
  branches: Branch[] = [];
  errors: [number, string, string][] = [];
  stored: Stored | null = null;
  part: Part | null = null;
  record: LabRecord | null = null;
  recordFile = '';
  /** The running task. */
  task: { text: string; share: number } | null = null;
  /** Result of the last formula. */
  formula: { body: number | null; error: string } | null = null;
  /** Penetration depth of the selected pair, as text. */
  depth = '';
  /** Number of colliding points or cells of the selected pair; `null` without a point cloud or grid. */
  colliding: number | null = null;
  /** The same in words. */
  collidingText: [string, string] = ['', ''];
  timeline: Timeline | null = null;
  /** The path being recorded, and the last recorded one. */
  recorded: HandPath | null = null;
  path: HandPath | null = null;
  /** Paths of single bodies that were played, by title, for comparison. */
  readonly played = new Map<string, PlayedPath>();
  measuring: number | null = null;
  /** For tests: milliseconds from the event of the pointer to the accepted pose, and microseconds of the server. */
  readonly latency: number[] = [];
  readonly micros: number[] = [];
  /** Candidate pairs and tested pairs of the last answer to a drag. */
  pairsTested: [number, number] | null = null;
  /** Number of refused requests. */
  refused = 0;
  lastStop: string | null = null;
  jumps = 0;
  /** Robot commands since the page opened: jog, jog_tool, branch. */
  readonly robotDid = new Map<string, number>();
  readonly treeWalks = new Set<string>();
  ready = false;
  private shapes: Shape[] = [];
  private seq = 0;
  private pending: { seq: number; at: number } | null = null;
  private request: { body: number; at: Vec3; turn: Quat; when: number } | null = null;
  private dropping: number | null = null;
  /** Called after every change, with its kind. */
  onChange: (what: string) => void = () => {};
  onNote: (text: string, help?: string) => void = () => {};
  onTask: (text: string, share: number, done: boolean) => void = () => {};

  constructor(canvas: HTMLCanvasElement) {
    this.viewer = new Viewer(canvas);
    this.viewer.onDrag = (body, at, turn) => this.pull(body, at, turn);
    this.viewer.onDragEnd = (body) => this.drop(body);
    this.viewer.onDragFrame = (at, turn) => this.jog({ do: 'drag_tool', at, turn });
    this.viewer.onDragFrameEnd = () => this.viewer.restGizmo();
    this.viewer.onGrasp = (body) => this.choose(body);
    this.viewer.onBand = (bodies) => this.chooseAll(bodies);
    this.viewer.onPick = (found, event) => {
      if (found && 'body' in found) {
        if (this.measuring !== null && found.body !== this.measuring) this.say({ do: 'measure', a: this.measuring, b: found.body });
        else if (event.shiftKey || event.ctrlKey || event.metaKey) this.chooseAlso([found.body]);
        else this.choose(found.body);
      } else if (found && 'mark' in found) {
        this.look(this.marked[found.mark] ?? null);
      }
    };
    // Events are processed in order; shapes may have to be fetched.
    let last = Promise.resolve();
    this.link.onEvent = (event) => {
      last = last.then(() => this.take(event)).catch((error: unknown) => this.onNote(`The page failed: ${String(error)}`, 'reload it; no change is lost'));
    };
  }

  /** Unit of mesh files that state none; a cell is in metres. */
  fileUnits = 'mm';

  addFile(file: string): void {
    this.say({ do: 'add_file', file, units: this.robot ? this.fileUnits : null });
  }

  /** Keeps the times of the last answers. */
  private note(latency: number | null, micros: number): void {
    if (latency !== null) this.latency.push(latency);
    this.micros.push(micros);
    for (const times of [this.latency, this.micros]) if (times.length > MOST_TIMES) times.splice(0, times.length - MOST_TIMES);
  }

  say(command: Record<string, unknown>): void {
    if (!this.link.say(command)) this.onNote('The server does not respond.', 'Earlier changes are stored; this one was not made.');
  }

  private async take(event: Event): Promise<void> {
    switch (event.say) {
      case 'hello': {
        // A new scale means a new page.
        const again = this.hello !== null && this.hello.scale === event.scale;
        if (!again) this.shapes = [];
        this.hello = event;
        this.renumber(event.bodies);
        [this.results, this.rules, this.edits, this.robot] = [event.results, event.rules, event.edits, event.robot ?? null];
        [this.groups, this.disabledWith] = [event.groups, null];
        this.values.forget();
        this.errors = this.robot?.errors ?? [];
        // The arm may stand elsewhere, and its obstacles too.
        this.jogged = null;
        await this.setBodies(event.bodies, event.shapes, !again);
        if (!again) {
          this.viewer.setUp(event.up);
          for (const warning of event.warnings) this.onNote(warning);
        }
        await this.showSwept(event.swept);
        this.ready = true;
        this.onChange('hello');
        break;
      }
      case 'bodies':
        await this.setBodies(event.bodies, event.shapes, false);
        this.onChange('bodies');
        break;
      case 'bodies_change': {
        const bodies = [...this.bodies];
        for (const [number, body] of event.changed) bodies[number] = body;
        await this.setBodies(bodies, event.shapes, false);
        this.onChange('bodies');
        break;
      }
      case 'groups':
        this.groups = event.groups;
        this.onChange('groups');
        break;
      case 'disabled_pairs':
        this.disabledWith = { body: event.body, off: event.off };
        this.onChange('disabled');
        break;
      case 'values':
        this.values.take(event.values, event.is_exact);
        this.onChange('values');
        break;
      case 'moved':
        if (event.by === 0) this.jumps++;
        this.put(event.body, event.at, event.turn);
        if (event.body === this.chosen && !this.viewer.isDragging()) this.viewer.restGizmo();
        this.onChange('place');
        break;
      case 'dragged':
        this.dragged(event);
        break;
      case 'results':
      case 'results_change':
        if (event.say === 'results') this.results = event;
        else if (this.results) this.results = changedResults(this.results, event);
        if (this.pair) this.pair = (this.results?.pairs ?? []).find((pair) => pair.a === this.pair!.a && pair.b === this.pair!.b && pair.hit) ?? null;
        this.draw();
        this.onChange('results');
        break;
      case 'plays':
        if (this.hello) this.hello.plays = event.plays;
        this.onChange('plays');
        break;
      case 'edits':
        this.edits = event;
        this.onChange('edits');
        break;
      case 'rules':
        [this.rules, this.disabledWith] = [event, null];
        this.onChange('rules');
        break;
      case 'measured':
        this.viewer.setClearance(event.line, event.text);
        this.onNote(`${this.nameOf(event.a)} and ${this.nameOf(event.b)}: ${event.relation}, clearance ${event.text}`);
        break;
      case 'task':
        this.task = event.done ? null : event;
        this.onTask(event.text, event.share, event.done);
        this.onChange('task');
        break;
      case 'track':
        this.showTrack(event);
        break;
      case 'swept':
        await this.showSwept(event.swept);
        this.onChange('swept');
        break;
      case 'panel':
        if (event.panel === 'tree') this.showTree(event.message);
        else {
          [this.record, this.recordFile] = [event.message.record, event.message.file];
          this.onChange('record');
        }
        break;
      case 'robot':
        // The text in this tab may be newer than the event; program texts have an event of their own.
        this.robot = { ...event, program: this.robot?.program ?? event.program };
        this.errors = event.errors;
        this.onChange('robot');
        break;
      case 'jogged':
        this.jogged = event;
        this.robot?.joints.forEach((joint, k) => (joint.value = event.values[k] ?? joint.value));
        if (event.seq > 0) {
          if (this.pendingJog && event.seq === this.pendingJog.seq) {
            this.note(performance.now() - this.pendingJog.at, event.micros);
            this.pendingJog = null;
          }
          this.viewer.setClearance(event.clearance_line, '');
          this.viewer.setMarks(event.stopped?.place ? [{ at: event.stopped.place, colour: COLOURS.clash }] : []);
          this.sendJog();
        }
        this.viewer.moveFrame(this.toolFrame()!);
        this.onChange('jogged');
        break;
      case 'branches':
        this.branches = event.branches;
        this.onChange('branches');
        break;
      case 'depth':
        if (this.pair?.a === event.a && this.pair.b === event.b) {
          [this.depth, this.colliding] = [event.text, event.colliding];
          this.collidingText = [event.cell ? 'Colliding cells' : 'Colliding points', `${event.colliding}${event.more ? ' or more' : ''}${event.points.length < (event.colliding ?? 0) ? `, ${event.points.length} marked` : ''}`];
          this.viewer.setPoints(event.cell ? [] : event.points);
          this.viewer.setCells(event.cell ? event.points.map((at) => ({ at, edge: event.cell![0], turn: event.cell![1] })) : []);
          this.showDepth(event.arrow);
          this.onChange('depth');
        }
        break;
      case 'formula':
        this.formula = event;
        this.onChange('formula');
        break;
      case 'program':
        this.errors = event.errors;
        if (this.robot && event.by !== this.hello?.you) this.robot.program = event.text;
        this.onChange('program');
        break;
      case 'parts':
        this.stored = event;
        // The part may have been removed by undo.
        if (this.part && event.entries.length === event.total && !event.entries.some(({ name }) => name === this.part!.name)) {
          this.part = null;
          this.onChange('part');
        }
        this.onChange('stored');
        break;
      case 'part':
        this.part = event;
        if (event.bodies.length > 0) this.viewer.fit(false);
        this.onChange('part');
        break;
      case 'trouble':
        // A refused request is answered too: the next one may go.
        this.refused++;
        this.pendingJog = null;
        this.sendJog();
        this.refuseDrag();
        this.onNote(event.text, event.help);
        this.onChange('trouble');
        break;
      case 'note':
        this.onNote(event.text);
        break;
      case 'bye':
        break;
    }
  }

  private async setBodies(bodies: BodyView[], shapes: number, first: boolean): Promise<void> {
    if (shapes !== this.shapes.length) {
      if (shapes < this.shapes.length) this.shapes = [];
      this.shapes.push(...(await fetchShapes(this.shapes.length)));
    }
    const isFirst = first || this.bodies.every((body) => body.gone);
    this.bodies = bodies;
    this.disabledWith = null;
    // Unused shapes, such as those of edited formulas.
    const used = new Set(bodies.map((body) => body.shape));
    this.shapes.forEach((shape, number) => {
      if (!used.has(number) && shape.positions.length > 0) this.shapes[number] = { positions: new Float32Array(), triangles: new Uint32Array() };
    });
    const absent = new Set(bodies.flatMap(({ gone }, number) => (gone ? [number] : [])));
    this.viewer.setBodies(this.shapes, bodies.map(({ name, shape, at, turn }) => ({ name, shape, at, turn })), absent);
    absent.forEach((body) => this.also.delete(body));
    if (isFirst && bodies.some((body) => !body.gone)) this.viewer.fit(false);
    if (this.chosen !== null && (bodies[this.chosen]?.gone ?? true)) this.chosen = null;
    this.draw();
  }

  /** Bodies of a changed cell have other numbers: selected and hidden ones are found by their names. */
  private renumber(bodies: BodyView[]): void {
    const numbers = new Map(bodies.map(({ name }, number) => [name, number]));
    const now = (body: number) => numbers.get(this.nameOf(body)) ?? null;
    const moved = (set: Set<number>) => {
      const known = [...set].map(now).filter((body) => body !== null);
      set.clear();
      known.forEach((body) => set.add(body));
    };
    if (this.chosen !== null) this.chosen = now(this.chosen);
    [this.hidden, this.also, this.locked, ...(this.isolated ? [this.isolated] : [])].forEach(moved);
    if (this.pair) this.pair = null;
    this.partner = this.partner === null ? null : now(this.partner);
  }

  /** Returns `true` if a body can be dragged: in a cell those that stand still, where the cell can be changed. */
  isMovable(body: number): boolean {
    if (this.hello?.is_database || this.locked.has(body)) return false;
    if (!this.robot) return true;
    return this.robot.robots.length > 0 && this.robot.parts.some(([name, isStill]) => isStill && name === this.nameOf(body));
  }

  nameOf(body: number): string {
    return this.bodies[body]?.name ?? '?';
  }

  private put(body: number, at: Vec3, turn: Quat): void {
    const known = this.bodies[body];
    if (!known) return;
    [known.at, known.turn] = [at, turn];
    this.viewer.setPose(body, at, turn);
  }

  /* Selection. */

  choose(body: number | null, partner: number | null = null): void {
    this.leaveTrack();
    if (body !== null && (this.bodies[body]?.gone ?? true)) body = null;
    this.chosen = body;
    this.also.clear();
    this.partner = partner;
    this.isWithin = partner !== null && this.pair?.outer === partner;
    if (partner !== null) this.seeThrough = true;
    this.pair = null;
    this.stopped = null;
    this.clearance = null;
    this.tree = null;
    this.viewer.setVolumes([], '');
    this.viewer.setClearance(null);
    this.draw();
    this.onChange('chosen');
  }

  /** Adds bodies to the selection, or removes them if all are in it. */
  chooseAlso(bodies: number[]): void {
    const there = bodies.filter((body) => !(this.bodies[body]?.gone ?? true));
    const before = this.selected();
    const all = new Set(before);
    if (there.every((body) => all.has(body))) there.forEach((body) => all.delete(body));
    else there.forEach((body) => all.add(body));
    const [first, ...rest] = [...all];
    this.choose(first ?? null);
    rest.forEach((body) => this.also.add(body));
    this.draw();
    this.onChange('chosen');
  }

  /** Selects these bodies in addition to the selected ones. */
  chooseAll(bodies: number[]): void {
    const news = bodies.filter((body) => !this.selected().includes(body));
    if (news.length > 0) this.chooseAlso(news);
  }

  /** The bodies of a group that are there. */
  inGroup(name: string): number[] {
    return (this.groups.find((group) => group.name === name)?.bodies ?? []).filter((body) => !(this.bodies[body]?.gone ?? true));
  }

  /** Locks bodies, so that nothing moves them in this tab, or unlocks them. */
  lock(bodies: number[], on: boolean): void {
    for (const body of bodies) {
      if (on) this.locked.add(body);
      else this.locked.delete(body);
    }
    this.draw();
    this.onChange('chosen');
  }

  /** Removes the selected bodies in one step. */
  removeSelected(): void {
    const [body, ...others] = this.selected();
    if (body === undefined) return;
    const locked = this.selected().find((one) => this.locked.has(one));
    if (locked !== undefined) return this.onNote(`${this.nameOf(locked)} is locked.`, 'Unlock it first (L).');
    this.say({ do: 'remove', body, with: others });
  }

  /** All selected bodies, the first one first. */
  selected(): number[] {
    return this.chosen === null ? [] : [this.chosen, ...this.also];
  }

  look(pair: PairView | null): void {
    this.leaveTrack();
    this.pair = pair;
    [this.depth, this.colliding] = ['', null];
    this.draw();
    const isSensed = pair !== null && [pair.a, pair.b].some((body) => ['point cloud', 'voxel grid'].includes(this.bodies[body]?.kind ?? ''));
    // Depths in a cell would be those of display meshes.
    if (pair && pair.hit && (isSensed || (pair.relation === 'intersecting' && !this.robot))) this.link.say({ do: 'depth', a: pair.a, b: pair.b });
    if (pair) this.viewer.lookAtPair([pair.a, pair.b], pair.place, decode(pair.segments, Float32Array), pair.outer);
    this.onChange('pair');
  }

  /** Direction of the penetration depth; short arrows are lengthened to be visible. */
  private showDepth(arrow: [Vec3, Vec3] | null): void {
    if (!arrow) return;
    const [from, to] = arrow;
    const path = to.map((x, k) => x - from[k]!);
    const length = Math.hypot(...path);
    if (length === 0) return;
    const drawn = path.map((x, k) => from[k]! + (x * Math.max(length, 1.5)) / length) as Vec3;
    this.viewer.setArrows([{ from, to: drawn, colour: COLOURS.clearance }]);
  }

  whole(): void {
    this.choose(null);
    this.isolated = null;
    this.seeThrough = false;
    this.draw();
    this.viewer.fit();
    this.onChange('shown');
  }

  /** Clears what is selected or emphasised, and keeps the view; with nothing of that, fits all bodies. */
  escape(): void {
    if (this.chosen === null && !this.pair && !this.timeline && !this.isolated && !this.seeThrough) return this.whole();
    this.isolated = null;
    this.seeThrough = false;
    this.choose(null);
    this.onChange('shown');
  }

  showAll(): void {
    this.hidden.clear();
    this.isolated = null;
    this.draw();
    this.onChange('shown');
  }

  hide(body: number): void {
    this.hideAll([body], !this.hidden.has(body));
  }

  hideAll(bodies: number[], hidden: boolean): void {
    for (const body of bodies) {
      if (hidden) this.hidden.add(body);
      else this.hidden.delete(body);
    }
    this.draw();
    this.onChange('shown');
  }

  /** Shows these bodies alone; the same once more shows all. */
  isolate(bodies: number[]): void {
    const isSame = this.isolated?.size === bodies.length && bodies.every((body) => this.isolated!.has(body));
    this.isolated = isSame || bodies.length === 0 ? null : new Set(bodies);
    this.draw();
    this.onChange('shown');
  }

  private marked: PairView[] = [];

  /** Updates the display of all bodies. */
  draw(): void {
    const looks = new Map<number, Look>();
    const without = new Set(this.timeline ? this.track?.without ?? [] : []);
    this.bodies.forEach((body, number) => {
      const alone = this.isolated !== null && !this.isolated.has(number) && this.chosen !== number;
      if (body.gone || this.hidden.has(number) || alone || without.has(number)) looks.set(number, 'hidden');
    });
    const { pair } = this;
    if (pair) {
      looks.set(pair.a, pair.outer === pair.a ? 'glass' : 'first');
      looks.set(pair.b, pair.outer === pair.b ? 'glass' : 'second');
    } else if (this.chosen !== null && !this.hidden.has(this.chosen)) {
      if (this.partner !== null && !this.hidden.has(this.partner)) looks.set(this.partner, this.isWithin || this.tree ? 'glass' : 'first');
      looks.set(this.chosen, this.tree ? 'ghost' : this.stopped ? 'stopped' : 'chosen');
      for (const body of this.also) if (!this.hidden.has(body)) looks.set(body, this.stopped ? 'stopped' : 'chosen');
    }
    // A single moving body is highlighted; the many moving bodies of a program are not.
    if (this.timeline && !this.robot) for (const body of this.track?.bodies ?? []) looks.set(body, 'chosen');
    this.viewer.setLooks(looks, pair || this.tree || this.seeThrough ? 'ghost' : 'plain');
    this.viewer.setArrows([]);
    this.viewer.setPoints([]);
    this.viewer.setCells([]);
    this.viewer.setSegments(pair ? decode(pair.segments, Float32Array) : new Float32Array());
    if (pair) this.viewer.setClearance(pair.line, pair.line ? `${pair.clearance} ${this.hello?.unit ?? ''}` : '');
    const shown = (hit: PairView) => hit.hit && hit.place && !this.hidden.has(hit.a) && !this.hidden.has(hit.b);
    this.marked = this.chosen !== null || this.timeline ? [] : pair ? [pair] : (this.results?.pairs ?? []).filter(shown);
    const style = getComputedStyle(document.documentElement);
    const colours = new Map<string, string>();
    const colour = (relation: string) => {
      if (!colours.has(relation)) colours.set(relation, style.getPropertyValue(`--${relation}`).trim());
      return colours.get(relation)!;
    };
    const contact = this.timeline ? this.track?.contact : null;
    const marks = this.marked.filter((hit) => hit.place).map((hit) => ({ at: hit.place!, colour: colour(hit.relation) }));
    this.viewer.setMarks(contact ? [{ at: contact, colour: COLOURS.clash }] : marks);
    const isHeld = pair !== null || this.timeline !== null || this.tree !== null || this.chosen === null || !this.isMovable(this.chosen);
    const tool = this.chosen === null && !pair && !this.timeline ? this.toolFrame() : null;
    if (tool && this.toolGizmo) this.viewer.setFrameGizmo(tool, this.toolGizmo, this.isToolFrame);
    else this.viewer.setGizmo(isHeld ? null : this.chosen, this.gizmo, this.local, this.snap === null ? null : this.snap * (this.hello?.scale ?? 1));
  }

  /* Dragging. One request is pending at a time; only the newest one waits. */

  pull(body: number, at: Vec3, turn: Quat): void {
    this.again = 0;
    clearTimeout(this.patience);
    this.request = { body, at, turn, when: this.viewer.pointerTime ?? performance.now() };
    this.sendRequest();
  }

  /** `true` while a drag request is pending. */
  isPending(): boolean {
    return this.pending !== null || this.request !== null;
  }

  /** Number of repetitions of the last request whose proof ran out of time. */
  private again = 0;
  private patience: number | undefined;
  private last: { body: number; at: Vec3; turn: Quat } | null = null;

  private tryAgain(): void {
    if (this.pending || this.request || !this.last) return;
    this.again++;
    this.request = { ...this.last, when: performance.now() };
    this.sendRequest();
  }

  private sendRequest(): void {
    if (this.pending || !this.request) return;
    const { body, at, turn, when } = this.request;
    this.last = { body, at, turn };
    this.request = null;
    this.pending = { seq: ++this.seq, at: when };
    const others = this.selected().filter((other) => other !== body && this.selected().includes(body) && !this.locked.has(other));
    if (!this.link.say({ do: 'drag', body, with: others, seq: this.seq, at, turn, mode: this.mode })) this.pending = null;
  }

  private dragged(event: Event & { say: 'dragged' }): void {
    if (this.pending && event.seq === this.pending.seq) {
      this.note(this.again === 0 ? performance.now() - this.pending.at : null, event.micros);
      this.pending = null;
    }
    this.pairsTested = event.pairs;
    this.put(event.body, event.at, event.turn);
    // The accepted poses; in the mode “pass through”, all commanded ones.
    if (this.recorded?.body === event.body) this.recorded.places.push([...event.at, ...event.turn]);
    const was = this.stopped !== null;
    this.stopped = event.stopped;
    if (event.stopped) this.lastStop = this.nameOf(event.stopped.by);
    this.clearance = event.clearance;
    this.viewer.setClearance(event.clearance?.line ?? null, event.clearance?.text ?? '');
    if (was !== (event.stopped !== null)) this.draw();
    // A repetition starts from cached results, even while the pointer rests.
    if (event.stopped && !event.stopped.proven && !this.request && this.again < 12) {
      clearTimeout(this.patience);
      if (this.dropping !== null) this.tryAgain();
      else this.patience = setTimeout(() => this.tryAgain(), 80) as unknown as number;
    }
    this.sendRequest();
    if (this.dropping !== null && !this.pending) this.finishDrop();
    this.onChange('drag');
  }

  drop(body: number): void {
    this.dropping = body;
    if (!this.pending && !this.request) this.finishDrop();
  }

  /** The drag request was refused: the body rests where it is. */
  private refuseDrag(): void {
    if (!this.pending) return;
    this.pending = this.request = this.dropping = this.last = null;
    this.viewer.restGizmo();
  }

  private finishDrop(): void {
    const body = this.dropping!;
    this.dropping = this.last = null;
    clearTimeout(this.patience);
    this.say({ do: 'drop', body });
    this.viewer.restGizmo();
    this.onChange('place');
  }

  /** Moves by a step along an axis of the scene, as far as proven collision-free. */
  nudge(axis: Axis, by: number): void {
    if (this.chosen === null || !this.hello) return;
    const body = this.bodies[this.chosen]!;
    const at = [...body.at] as Vec3;
    at['xyz'.indexOf(axis)]! += by * this.hello.scale;
    this.pull(this.chosen, at, body.turn);
    this.drop(this.chosen);
  }

  /* Robots: as for bodies, one pending request at a time. */

  /** The tool of the robot in the view. */
  private toolFrame(): Frame | null {
    const tool = this.jogged ?? this.robot;
    if (!tool || !this.hello) return null;
    const { scale, middle } = this.hello;
    return { at: tool.tool_at.map((x, k) => (x - middle[k]!) * scale) as Vec3, turn: tool.tool_turn };
  }

  /** Shows the gizmo at the tool, or hides it. */
  setToolGizmo(mode: GizmoMode | null): void {
    this.toolGizmo = mode;
    if (mode && (this.chosen !== null || this.timeline)) this.choose(null);
    this.draw();
    this.onChange('tool');
  }

  private pendingJog: { seq: number; at: number } | null = null;
  private jogRequest: Record<string, unknown> | null = null;

  /** `true` while a jog is under way. */
  isJogging(): boolean {
    return this.pendingJog !== null;
  }

  jog(command: Record<string, unknown>, as = String(command.do)): void {
    this.robotDid.set(as, (this.robotDid.get(as) ?? 0) + 1);
    this.leaveTrack();
    this.jogRequest = command;
    this.sendJog();
  }

  private sendJog(): void {
    if (this.pendingJog || !this.jogRequest) return;
    const command = this.jogRequest;
    this.jogRequest = null;
    this.pendingJog = { seq: ++this.seq, at: performance.now() };
    if (!this.link.say({ ...command, seq: this.seq })) this.pendingJog = null;
  }

  /** Previews another configuration of the arm. */
  ghost(branch: Branch | null): void {
    this.bodies.forEach(({ at, turn }, body) => this.viewer.setPose(body, at, turn));
    for (const [body, at, turn] of branch?.ghost ?? []) this.viewer.setPose(body, at, turn);
    const looks = new Map<number, Look>((branch?.ghost ?? []).map(([body]) => [body, branch!.free ? 'ghost' : 'stopped']));
    if (branch) this.viewer.setLooks(looks, 'plain');
    else this.draw();
  }

  /* Motion. */

  private async showSwept(swept: Swept | null): Promise<void> {
    this.swept = swept;
    this.viewer.setGlass(swept ? await fetchSwept() : null, swept?.at ?? [0, 0, 0], COLOURS.clearance);
  }

  private showTree(tree: TreeView): void {
    this.tree = tree;
    this.viewer.setVolumes(tree.volumes.map((volume) => ({ ...volume, round: tree.round })), COLOURS.second);
    this.onChange('tree');
  }

  private showTrack(view: TrackView): void {
    this.leaveTrack();
    this.track = view;
    // The body of the track stays selected, so that another path can be tried.
    if (this.chosen !== null && !view.bodies.includes(this.chosen)) this.chosen = null;
    this.also.clear();
    // A path that was found can be kept like a recorded one.
    if (view.keys.length > 1) this.path = { body: view.bodies[0]!, places: view.keys };
    [this.partner, this.pair, this.stopped, this.clearance] = [null, null, null, null];
    this.viewer.setClearance(null);
    const colour = (relation: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${relation}`).trim();
    const track: Track = {
      ...view,
      poses: new Float32Array(view.poses),
      events: view.events.map(([time, text, relation]) => ({ time, text, colour: colour(relation) })),
      curves: curvesOfRoom(view.room, view.unit ?? this.hello?.unit ?? ''),
    };
    const path = view.bodies.length === 1 ? view.times.map((time) => poseAt(track, 0, time)[0]) : [];
    this.viewer.setPath(path);
    if (path.length > 1) {
      const steps = path.slice(1).map((at, k) => Math.hypot(...at.map((x, n) => x - path[k]![n]!)));
      this.played.set(view.title, {
        body: this.nameOf(view.bodies[0]!),
        free: view.free,
        length: steps.reduce((sum, step) => sum + step, 0) / (this.hello?.scale ?? 1),
        clearance: view.room_at_least,
      });
      for (const oldest of [...this.played.keys()].slice(0, Math.max(0, this.played.size - MOST_PLAYED))) this.played.delete(oldest);
    }
    this.timeline = new Timeline(this.viewer, track);
    const close = make('button', { className: 'close', textContent: '×', title: 'Back to the scene', onclick: () => this.closeTrack() }, [], { 'aria-label': 'Back to the scene' });
    const head = make('p', { className: 'track-title' }, [make('strong', { textContent: view.title }), ` ${view.verdict}`]);
    element('bottom').replaceChildren(make('div', { className: 'track' }, [head, close]), this.timeline.root);
    this.draw();
    if (view.forces.length > 0) {
      this.timeline.onTime = (time) => this.showForces(view, time);
      this.showForces(view, 0);
    }
    this.onChange('track');
    // A program is started by its panel, which knows the line to stop at.
    if (!this.robot && !matchMedia('(prefers-reduced-motion: reduce)').matches) this.timeline.toggle();
  }

  /** Contact forces at a time; an arrow points in the direction of the force on the second body. */
  private showForces(view: TrackView, time: number): void {
    const frame = view.times.findLastIndex((known) => known <= time + 1e-9);
    const now = view.forces.filter(([number]) => number === frame);
    this.viewer.setArrows(now.map(([, from, to]) => ({ from, to, colour: COLOURS.clash })));
    this.forcesShown = now.length;
  }

  /** For tests: number of displayed arrows. */
  forcesShown = 0;

  closeTrack(): void {
    this.leaveTrack();
    this.draw();
    this.onChange('track');
  }

  private leaveTrack(): void {
    if (!this.timeline) return;
    this.timeline.stop();
    this.timeline = null;
    element('bottom').replaceChildren();
    this.viewer.setPath([]);
    this.viewer.setArrows([]);
    this.forcesShown = 0;
    this.bodies.forEach(({ at, turn }, body) => this.viewer.setPose(body, at, turn));
  }

  /** Names the displayed path, in the table of paths too. */
  nameTrack(title: string): void {
    if (!this.track || !this.timeline) return;
    const figures = this.played.get(this.track.title);
    this.played.delete(this.track.title);
    if (figures) this.played.set(title, figures);
    this.track.title = title;
    const head = document.querySelector('.track-title strong');
    if (head) head.textContent = title;
    this.onChange('track');
  }

  /** The clearance as text, for the read-out. */
  clearanceText(): string {
    if (!this.clearance) return '';
    const at_least = short(this.clearance.at_least, 4);
    return this.clearance.at_most === 0 ? `touching ${this.nameOf(this.clearance.to)}` : `${this.clearance.text || at_least} to ${this.nameOf(this.clearance.to)}`;
  }
}
