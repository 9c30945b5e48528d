import type { Quat, Room, Vec3 } from 'noli-viewer';

export interface BodyView {
  name: string;
  group: string | null;
  shape: number;
  middle: Vec3;
  at: Vec3;
  turn: Quat;
  triangles: number;
  kind: string;
  /** The cells of a grid in words. */
  cells: string | null;
  formula: Formula | null;
  gone: boolean;
}

export interface Formula {
  text: string;
  bounds: [Vec3, Vec3] | null;
}

export interface PatternRule {
  a: string;
  b: string;
  margin: number | null;
}

export interface PairView {
  a: number;
  b: number;
  relation: string;
  hit: boolean;
  says: string;
  intersections: number | null;
  clearance: string;
  clearance_at_least: number | null;
  guarantee: string;
  place: Vec3 | null;
  place_text: string;
  segments: string;
  line: [Vec3, Vec3] | null;
  outer: number | null;
}

export interface Results {
  outcome: string;
  summary: string;
  pairs: PairView[];
  /** Status and comment of pairs. */
  status: [number, number, string, string][];
  /** The group of each pair; empty if it has none. */
  groups: string[];
  stale: boolean;
}

/** The difference to the last results. */
export interface ResultsChange {
  outcome: string;
  summary: string;
  gone: [number, number][];
  /** New and changed pairs: their place in the new list, which rises, the pair and its group. */
  changed: [number, PairView, string][];
  status: [number, number, string, string][];
  stale: boolean;
}

/** Results after a change. */
export function changedResults(before: Results, { outcome, summary, gone, changed, status, stale }: ResultsChange): Results {
  const old = new Set([...gone, ...changed.map(([, { a, b }]) => [a, b])].map(String));
  const list = before.pairs.map((pair, k): [PairView, string] => [pair, before.groups[k] ?? '']).filter(([{ a, b }]) => !old.has(`${a},${b}`));
  for (const [place, pair, group] of changed) list.splice(place, 0, [pair, group]);
  return { outcome, summary, status, stale, pairs: list.map(([pair]) => pair), groups: list.map(([, group]) => group) };
}

/** Penetration depth and overlap volume of a pair: both bounds, without an upper one if none was found. */
export interface PairValues {
  a: number;
  b: number;
  depth: Bounds | null;
  volume: Bounds | null;
}

export type Bounds = [number, number | null];

/** A group of bodies made by hand. */
export interface Group {
  name: string;
  bodies: number[];
}

export interface Edits {
  undo: string | null;
  redo: string | null;
  unsaved: number;
}

export interface Rules {
  margin: number;
  by_hand: [number, number, boolean][];
  off: [number, number][];
  /** `false` if disabled pairs are asked for body by body. */
  is_whole: boolean;
  patterns: PatternRule[];
}

export interface Hello {
  you: number;
  title: string;
  unit: string;
  up: 'y' | 'z';
  middle: Vec3;
  scale: number;
  bodies: BodyView[];
  shapes: number;
  plays: { name: string; title: string }[];
  warnings: string[];
  /** Mesh files of the folder; `null` without a folder. */
  files: string[] | null;
  can_save: boolean;
  /** Name of a new file for the open cell. */
  save_as: string | null;
  /** `false` for a bundled scene: its changes end with the server. */
  is_stored: boolean;
  edits: Edits;
  rules: Rules;
  groups: Group[];
  results: Results | null;
  robot: Robot | null;
  database: string | null;
  is_database: boolean;
  /** The swept volume that is shown. */
  swept: Swept | null;
  /** Further panels of the server, with their data. */
  panels: { tree?: object; records?: string[] };
}

/** A swept volume: what moves, its error, and both bounds on the volume. */
export interface Swept {
  number: number;
  title: string;
  error: number;
  volume: [number, number];
  triangles: number;
  seconds: number;
  /** The middle of its mesh. */
  at: Vec3;
}

/** Denavit–Hartenberg parameters: theta, d, a, alpha in degrees and millimetres. */
export interface Dh {
  rows: [string, [number, number, number, number]][];
  slides: boolean[];
  why: string;
}

export interface Stored {
  entries: { kind: string; name: string; about: string }[];
  total: number;
  files: string[];
}

export interface Part {
  kind: string;
  name: string;
  values: [string, string][];
  dh: Dh | null;
  bodies: number[];
}

export type Cell = number | string | { ours: number; printed: number } | { printed: number };

export interface Plot {
  title: string;
  x: string;
  y: string;
  shape: 'lines' | 'bars';
  places: string[];
  series: { name: string; points: [number, number][] }[];
}

/** The record of an experiment. */
export interface LabRecord {
  experiment: string;
  machine?: { name: string };
  date?: string;
  seconds?: number;
  notes?: string[];
  findings?: { claim: string; verdict: string; why: string }[];
  tables: { title: string; columns: string[]; rows: { label: string; cells: Cell[] }[] }[];
  plots?: Plot[];
}

export interface Joint {
  name: string;
  low: number;
  high: number;
  value: number;
  slides: boolean;
  follows: boolean;
  /** Largest speed, in radians or metres a second. */
  speed: number;
}

export interface Robot {
  name: string;
  joints: Joint[];
  locations: { name: string; at: Vec3; turn: Quat; taught: boolean; precise: boolean }[];
  program: string;
  /** Errors of the program: line, reason, remedy. */
  errors: [number, string, string][];
  off: [string, string, string][];
  asked: number;
  tool_at: Vec3;
  tool_turn: Quat;
  /** Largest speeds of the tool: on straight lines in metres a second, of rotations in radians a second. */
  tool_speed: number;
  turn_speed: number;
  states: [string, string][];
  dh: Dh;
  /** Names of all links and bodies; `true` for those that stand still. */
  parts: [string, boolean][];
  /** Margin of all pairs, in metres. */
  margin: number;
  /** Robots of the cell, the driven one first; empty if the cell cannot be changed. */
  robots: { name: string; xyz: Vec3; quaternion: Quat }[];
  /** Robots that can be added. */
  descriptions: string[];
  /** Tools of the component database. */
  tools: string[];
}

export interface Branch {
  name: string;
  values: number[];
  within: boolean;
  free: boolean;
  ghost: [number, Vec3, Quat][];
}

export interface Jogged {
  seq: number;
  values: number[];
  stopped: { by: number; place: Vec3 | null; text: string } | null;
  clearance_text: string;
  clearance_line: [Vec3, Vec3] | null;
  tool_at: Vec3;
  tool_turn: Quat;
  micros: number;
}

export interface Clearance {
  to: number;
  text: string;
  at_least: number;
  at_most: number | null;
  line: [Vec3, Vec3] | null;
}

export interface TrackView {
  title: string;
  verdict: string;
  free: boolean;
  seconds: number;
  times: number[];
  bodies: number[];
  without: number[];
  poses: number[];
  events: [number, string, string][];
  room: Room[];
  /** Proven lower bound of the clearance along the whole path. */
  room_at_least: number | null;
  /** Lines of a program: start time, number, text. */
  lines: [number, number, string][];
  /** Signal changes: time, signal, value, `true` if set by the program. */
  signals: [number, number, boolean, boolean][];
  contact: Vec3 | null;
  unit: string | null;
  /** Forces: number of the frame, start and end of the arrow. */
  forces: [number, Vec3, Vec3][];
  longest: string;
  /** Key poses of the path of its only body; empty if it cannot be kept. */
  keys: [...Vec3, ...Quat][];
  /** Joint values of a robot for every time, and positions of its tool in metres. */
  joints: number[];
  tool: number[];
  /** The line of a program at which it stopped. */
  stop_line: number | null;
}

export interface TreeView {
  body: number;
  levels: number;
  volumes: { at: Vec3; turn: Quat; half: Vec3 }[];
  round: boolean;
  facts: [string, string][];
}

export type Event =
  | ({ say: 'hello' } & Hello)
  | { say: 'moved'; body: number; at: Vec3; turn: Quat; by: number }
  | { say: 'dragged'; body: number; seq: number; at: Vec3; turn: Quat; stopped: { by: number; place: Vec3 | null; text: string; proven: boolean } | null; clearance: Clearance | null; pairs: [number, number]; micros: number }
  | { say: 'bodies'; bodies: BodyView[]; shapes: number }
  | { say: 'bodies_change'; changed: [number, BodyView][]; shapes: number }
  | { say: 'groups'; groups: Group[] }
  | { say: 'disabled_pairs'; body: number; off: number[] }
  | { say: 'values'; values: PairValues[]; is_exact: boolean }
  | { say: 'plays'; plays: { name: string; title: string }[] }
  | ({ say: 'results' } & Results)
  | ({ say: 'results_change' } & ResultsChange)
  | ({ say: 'edits' } & Edits)
  | ({ say: 'rules' } & Rules)
  | { say: 'measured'; a: number; b: number; text: string; line: [Vec3, Vec3] | null; relation: string }
  | { say: 'task'; text: string; share: number; done: boolean }
  | ({ say: 'track' } & TrackView)
  | { say: 'swept'; swept: Swept | null }
  | { say: 'panel'; panel: 'tree'; message: TreeView }
  | { say: 'panel'; panel: 'records'; message: { file: string; record: LabRecord } }
  | ({ say: 'robot' } & Robot)
  | ({ say: 'jogged' } & Jogged)
  | { say: 'branches'; branches: Branch[] }
  | { say: 'program'; text: string; errors: [number, string, string][]; by: number }
  | { say: 'depth'; a: number; b: number; text: string; arrow: [Vec3, Vec3] | null; colliding: number | null; more: boolean; points: Vec3[]; cell: [number, Quat] | null }
  | { say: 'formula'; body: number | null; error: string }
  | ({ say: 'parts' } & Stored)
  | ({ say: 'part' } & Part)
  | { say: 'trouble'; text: string; help: string }
  | { say: 'note'; text: string }
  | { say: 'bye' };

export type DragMode = 'stop' | 'slide' | 'ghost';
