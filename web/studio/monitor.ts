import { make, short } from 'noli-viewer';
import { facts, heading, type Panel } from './parts';
import type { Studio } from './studio';

/** The panel is updated this often while it is open, in milliseconds. */
const EVERY = 500;
/** Times of that many last frames and answers are summarised. */
const LAST = 120;

/** Median and 95th percentile of the last times, in milliseconds. */
function times(all: number[]): string {
  const sorted = all.slice(-LAST).sort((a, b) => a - b);
  if (sorted.length === 0) return 'none yet';
  const at = (share: number) => short(sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)]!, 3);
  return `${at(0.5)} ms, 95th percentile ${at(0.95)} ms`;
}

const bytes = (count: number) => (count < 1e6 ? `${short(count / 1e3, 3)} kB` : `${short(count / 1e6, 3)} MB`);

/** The system monitor: times of frames and answers, pairs of a step, and what was sent. */
export function monitorPanel(studio: Studio): Panel {
  const list = make('dl', { className: 'monitor' });
  const root = make('div', { className: 'pane' }, [heading('Monitor'), list]);
  const fill = () => {
    const { viewer, robot, link } = studio;
    const { calls, triangles } = viewer.cost();
    const [candidates, tested] = studio.pairsTested ?? [0, 0];
    const pairs = robot ? `${robot.asked} checked in every configuration` : studio.pairsTested ? `${candidates} candidates, ${tested} tested` : 'none yet: drag a body';
    list.replaceChildren(...facts([
      ['Time of a frame', times(viewer.frameTimes)],
      ['Frames drawn', `${viewer.frames}${viewer.isSoftware ? ', without a GPU' : ''}`],
      ['Draw calls, triangles', `${calls}, ${triangles}`],
      ['Answer to a drag', times(studio.latency)],
      ['of it on the server', times(studio.micros.map((micros) => micros / 1000))],
      ['Pairs of a step', pairs],
      ['Last comparison', studio.results?.summary ?? 'none yet'],
      ['Received', `${bytes(link.received)} in ${link.messages} messages; last results ${bytes(link.lastResults)}`],
    ]));
  };
  setInterval(() => root.isConnected && fill(), EVERY);
  return { root, update: (what) => what === 'open' && fill() };
}
