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

/** A played motion: poses of some bodies at some times. */
export interface Track {
  seconds: number;
  /** From 0 to 1, rising. */
  times: number[];
  bodies: number[];
  /** x, y, z, qx, qy, qz, qw of every body at every time. */
  poses: Float32Array;
  events: TimeEvent[];
  room: Room[];
  unit: string;
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

/** A time line with scrubbing, speed, single steps and events; with a clearance curve if it is known. */
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
  private readonly curve = draw('svg', { class: 'curve', viewBox: '0 0 1000 60', preserveAspectRatio: 'none', role: 'img', 'aria-label': 'Clearance along the path' }) as SVGSVGElement;
  private readonly needle = draw('line', { class: 'needle', y1: 0, y2: 60 });
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
        // The curve has the same time axis as the slider.
        make('div', { className: 'along' }, [this.curve as unknown as Node, make('div', { className: 'scrub' }, [this.ticks, this.slider])]),
        this.clock, speeds,
      ]),
      this.caption,
    );
    this.button.onclick = () => this.toggle();
    this.slider.oninput = () => {
      this.stop();
      this.go(Number(this.slider.value) / 1000);
    };
    this.curve.addEventListener('click', (event) => {
      const box = this.curve.getBoundingClientRect();
      this.go((event.clientX - box.left) / box.width);
    });
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
    this.drawCurve();
    this.go(Math.min(this.time, 1));
  }

  private drawCurve(): void {
    const { room } = this.track;
    (this.curve as unknown as HTMLElement).style.display = room.length > 1 ? '' : 'none';
    if (room.length < 2) return;
    // Small clearances matter; large ones are clipped.
    const clearances = room.map(({ clearance }) => clearance).sort((a, b) => a - b);
    const most = Math.max(clearances[Math.floor(clearances.length * 0.75)]!, clearances[0]! * 4, 1e-300);
    const y = (clearance: number) => 56 - 52 * Math.min(clearance / most, 1);
    const points = room.map(({ time, clearance }) => `${(1000 * time).toFixed(1)},${y(clearance).toFixed(1)}`).join(' ');
    this.curve.replaceChildren(
      draw('polygon', { class: 'area', points: `${1000 * room[0]!.time},60 ${points} ${1000 * room.at(-1)!.time},60` }),
      draw('polyline', { class: 'line', points }),
      this.needle,
    );
  }

  /** Goes to a time and displays all poses. */
  go(time: number): void {
    this.time = Math.min(Math.max(time, 0), 1);
    this.track.bodies.forEach((body, k) => this.viewer.setPose(body, ...poseAt(this.track, k, this.time)));
    this.slider.value = String(Math.round(1000 * this.time));
    this.clock.textContent = `${(this.time * this.track.seconds).toFixed(2)} / ${short(this.track.seconds, 4)} s`;
    this.needle.setAttribute('x1', String(1000 * this.time));
    this.needle.setAttribute('x2', String(1000 * this.time));
    const room = this.track.room.findLast((known) => known.time <= this.time + 1e-9);
    const event = this.track.events.findLast((known) => known.time <= this.time + 1e-9);
    this.caption.textContent = [event?.text, room && `${short(room.clearance, 4)} ${this.track.unit} to ${room.to}`].filter(Boolean).join('  ·  ');
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
