import { draw, make, short } from './dom';
import type { Quat, Vec3, Viewer } from './viewer';

/** An event on the path. */
export interface TimeEvent {
  /** From 0 to 1. */
  time: number;
  text: string;
  colour: string;
}

/** The clearance at a time. */
export interface Room {
  time: number;
  clearance: number;
  to: string;
}

/** A quantity over time. */
export interface Curve {
  name: string;
  unit: string;
  /** Values hold until the next one, instead of being joined by lines. */
  steps: boolean;
  /** Times from 0 to 1, rising, with their values. */
  points: [number, number][];
  /** A word on each point, or none. */
  notes: string[];
}

/** The clearance along a path as a curve; none if it is not known. */
export function curvesOfRoom(room: Room[], unit: string): Curve[] {
  if (room.length < 2) return [];
  return [{
    name: 'clearance', unit, steps: false,
    points: room.map(({ time, clearance }) => [time, clearance]),
    notes: room.map(({ to }) => `to ${to}`),
  }];
}

/** A played motion: poses of some bodies at some times. */
export interface Track {
  seconds: number;
  /** From 0 to 1, rising. */
  times: number[];
  bodies: number[];
  /** x, y, z, qx, qy, qz, qw of every body at every time. */
  poses: Float32Array;
  events: TimeEvent[];
  curves: Curve[];
}

/** The pose of the k-th body of a track at a time, interpolated between the two nearest frames. */
export function poseAt(track: Track, k: number, time: number): [Vec3, Quat] {
  const { times, bodies, poses } = track;
  let next = times.findIndex((known) => known >= time);
  if (next < 0) next = times.length - 1;
  const before = Math.max(next - 1, 0);
  const span = times[next]! - times[before]!;
  const share = span > 0 ? Math.min(Math.max((time - times[before]!) / span, 0), 1) : 0;
  const [p, q] = [before, next].map((frame) => poses.subarray(7 * (frame * bodies.length + k), 7 * (frame * bodies.length + k) + 7));
  const mix = (i: number, sign = 1) => p![i]! + (sign * q![i]! - p![i]!) * share;
  // The nearer of the two quaternions of a rotation; frames are close, so linear interpolation suffices.
  const same = p![3]! * q![3]! + p![4]! * q![4]! + p![5]! * q![5]! + p![6]! * q![6]! < 0 ? -1 : 1;
  const turn = [mix(3, same), mix(4, same), mix(5, same), mix(6, same)] as Quat;
  const length = Math.hypot(...turn) || 1;
  return [[mix(0), mix(1), mix(2)], turn.map((x) => x / length) as Quat];
}

/** Area and line of a curve, in a box of 1000 by 60. */
function linesOf(curve: Curve): SVGElement[] {
  const values = curve.points.map(([, y]) => y);
  const sorted = [...values].sort((x, y) => x - y);
  // Small clearances matter; large ones are clipped.
  const most = curve.name === 'clearance'
    ? Math.max(sorted[Math.floor(sorted.length * 0.75)] ?? 0, (sorted[0] ?? 0) * 4, 1e-300)
    : Math.max(...values, 1e-300);
  const least = Math.min(...values, 0);
  const y = (value: number) => (56 - 52 * Math.min((value - least) / (most - least), 1)).toFixed(1);
  const at = (time: number, value: number) => `${(1000 * time).toFixed(1)},${y(value)}`;
  const points = curve.points.flatMap(([time, value], k) => {
    const before = curve.points[k - 1];
    return curve.steps && before ? [at(time, before[1]), at(time, value)] : [at(time, value)];
  });
  const [first, last] = [curve.points[0]?.[0] ?? 0, curve.steps ? 1 : curve.points.at(-1)?.[0] ?? 1];
  if (curve.steps && curve.points.length > 0) points.push(at(1, curve.points.at(-1)![1]));
  return [
    draw('polygon', { class: 'area', points: `${1000 * first},60 ${points.join(' ')} ${1000 * last},60` }),
    draw('polyline', { class: 'line', points: points.join(' ') }),
  ];
}

/** Shorter clearances are not told apart: three decimals of a millimetre. */
const LEAST = 0.001;

/** The value of a curve at a time, with its unit and its note. */
function valueOf(curve: Curve, time: number): string {
  const k = curve.points.findLastIndex(([known]) => known <= time + 1e-9);
  const point = curve.points[k];
  if (!point) return '';
  const isContact = curve.name === 'clearance' && curve.unit === 'mm' && point[1] < LEAST;
  const value = isContact ? `below ${LEAST}` : short(point[1], 4);
  return ` ${value}${curve.unit && ` ${curve.unit}`}${curve.notes[k] ? ` ${curve.notes[k]}` : ''}`;
}

/** A time line with scrubbing, speed, single steps and events; with curves of quantities over time. */
export class Timeline {
  readonly root = make('section', { className: 'timeline' }, [], { 'aria-label': 'Time line' });
  time = 0;
  onTime: (time: number) => void = () => {};
  private playing = false;
  private last = 0;
  private speed = 1;
  private readonly slider = make('input', { type: 'range', min: '0', max: '1000', step: '1', value: '0' }, [], { 'aria-label': 'Time' });
  private readonly button = make('button', { className: 'play', textContent: '▶', title: 'Play (space)' }, [], { 'aria-label': 'Play' });
  private readonly clock = make('output', { className: 'clock' });
  private readonly curves = make('div', { className: 'curves' });
  private needles: SVGElement[] = [];
  private values: HTMLElement[] = [];
  private readonly ticks = make('div', { className: 'ticks' });
  private readonly caption = make('p', { className: 'caption' });

  constructor(private readonly viewer: Viewer, private track: Track) {
    const step = (by: number) => make('button', {
      textContent: by < 0 ? '‹' : '›', title: by < 0 ? 'One frame back (,)' : 'One frame forward (.)', onclick: () => this.step(by),
    });
    const speeds = make('select', { title: 'Speed', onchange: () => (this.speed = Number(speeds.value)) }, [], { 'aria-label': 'Speed' });
    for (const speed of [0.1, 0.25, 0.5, 1, 2, 4]) speeds.append(make('option', { value: String(speed), textContent: `${speed}×`, selected: speed === 1 }));
    this.root.append(
      make('div', { className: 'bar' }, [
        step(-1), this.button, step(1),
        // Curves have the same time axis as the slider.
        make('div', { className: 'along' }, [this.curves, make('div', { className: 'scrub' }, [this.ticks, this.slider])]),
        this.clock, speeds,
      ]),
      this.caption,
    );
    this.button.onclick = () => this.toggle();
    this.slider.oninput = () => {
      this.stop();
      this.go(Number(this.slider.value) / 1000);
    };
    this.setTrack(track);
  }

  setTrack(track: Track): void {
    this.track = track;
    this.ticks.replaceChildren(...track.events.map((event) => {
      const tick = make('button', { className: 'tick', title: `${short(event.time * track.seconds, 4)} s: ${event.text}`, onclick: () => this.go(event.time) });
      tick.style.left = `${100 * event.time}%`;
      tick.style.background = event.colour;
      return tick;
    }));
    this.drawCurves();
    this.go(Math.min(this.time, 1));
  }

  private drawCurves(): void {
    this.needles = [];
    this.values = [];
    this.curves.replaceChildren(...this.track.curves.map((curve) => {
      const needle = draw('line', { class: 'needle', y1: 0, y2: 60 });
      const plot = draw('svg', { class: 'curve', viewBox: '0 0 1000 60', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${curve.name} over time` }, [...linesOf(curve), needle]);
      plot.addEventListener('click', (event) => {
        const box = plot.getBoundingClientRect();
        this.go(((event as MouseEvent).clientX - box.left) / box.width);
      });
      const value = make('span', { className: 'value' });
      this.needles.push(needle);
      this.values.push(value);
      return make('div', { className: curve.steps && curve.points.every(([, y]) => y === 0 || y === 1) ? 'plot switch' : 'plot' }, [
        plot as unknown as Node, make('span', { className: 'of' }, [curve.name, value]),
      ]);
    }));
  }

  /** Goes to a time and displays all poses. */
  go(time: number): void {
    this.time = Math.min(Math.max(time, 0), 1);
    this.track.bodies.forEach((body, k) => this.viewer.setPose(body, ...poseAt(this.track, k, this.time)));
    this.slider.value = String(Math.round(1000 * this.time));
    this.clock.textContent = `${(this.time * this.track.seconds).toFixed(2)} / ${short(this.track.seconds, 4)} s`;
    for (const needle of this.needles) {
      needle.setAttribute('x1', String(1000 * this.time));
      needle.setAttribute('x2', String(1000 * this.time));
    }
    this.track.curves.forEach((curve, k) => (this.values[k]!.textContent = valueOf(curve, this.time)));
    const event = this.track.events.findLast((known) => known.time <= this.time + 1e-9);
    this.caption.textContent = event?.text ?? '';
    this.onTime(this.time);
  }

  step(by: number): void {
    this.stop();
    const { times } = this.track;
    const near = times.reduce((best, time, frame) => (Math.abs(time - this.time) < Math.abs(times[best]! - this.time) ? frame : best), 0);
    this.go(times[Math.min(Math.max(near + by, 0), times.length - 1)]!);
  }

  toggle(): void {
    if (this.playing) this.stop();
    else this.start();
  }

  private start(): void {
    if (this.time >= 1) this.go(0);
    this.playing = true;
    this.button.textContent = '❚❚';
    this.button.setAttribute('aria-label', 'Pause');
    this.last = performance.now();
    const tick = (now: number) => {
      if (!this.playing) return;
      this.go(this.time + ((now - this.last) / 1000) * this.speed / Math.max(this.track.seconds, 1e-9));
      this.last = now;
      if (this.time >= 1) this.stop();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  stop(): void {
    this.playing = false;
    this.button.textContent = '▶';
    this.button.setAttribute('aria-label', 'Play');
  }
}
