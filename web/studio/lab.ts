import { draw, make, short } from 'noli-viewer';
import { facts, heading, type Panel } from './parts';
import type { Studio } from './studio';
import type { Cell, LabRecord, Plot } from './types';

/** Colour-blind-safe palette (Okabe and Ito), ordered for few series. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8d8d8d'];

const textOf = (cell: Cell): string => {
  if (typeof cell === 'number') return short(cell, 4);
  if (typeof cell === 'string') return cell;
  if ('ours' in cell) return `${short(cell.ours, 4)} (${short(cell.printed, 4)})`;
  return `(${short(cell.printed, 4)})`;
};

/** Range of an axis that contains all values, with a few round ticks. */
function axis(values: number[], fromZero: boolean): { low: number; high: number; ticks: number[] } {
  const finite = values.filter(Number.isFinite);
  let [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length === 0) [low, high] = [0, 1];
  if (fromZero && low > 0) low = 0;
  if (high <= low) high = low + (Math.abs(low) || 1);
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((by) => by * power >= rough) ?? 10);
  high = Math.ceil(high / step - 1e-9) * step;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return { low, high, ticks };
}

/** Approximate width of a letter in a chart. */
const LETTER = 5;
/** Series beyond the last colour are paler, or their lines dashed. */
const paleness = (number: number) => (number < COLOURS.length ? 1 : 0.45);

/** A small chart with its caption and legend. */
export function chart(plot: Plot): HTMLElement {
  const [width, left, right, top] = [340, 46, 14, 8];
  const longest = Math.max(0, ...plot.places.map((place) => Math.min(place.length, 16)));
  const slanted = plot.places.length > 4 || longest * LETTER > (width - left - right) / plot.places.length;
  // A slanted label takes half its length in height.
  const bottom = plot.places.length && slanted ? 20 + (longest * LETTER) / 2 : 24;
  const height = 158 + bottom;
  const bars = plot.shape === 'bars';
  const points = plot.series.flatMap((series) => series.points);
  const y = axis(points.map(([, value]) => value), true);
  const x = bars || plot.places.length ? { low: -0.5, high: Math.max(plot.places.length, ...points.map(([place]) => place + 1)) - 0.5, ticks: [] as number[] } : axis(points.map(([place]) => place), false);
  const atX = (value: number) => left + ((value - x.low) / (x.high - x.low)) * (width - left - right);
  const atY = (value: number) => height - bottom - ((value - y.low) / (y.high - y.low)) * (height - top - bottom);
  const drawing = draw('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${plot.title}: ${plot.y} by ${plot.x}` });
  for (const tick of y.ticks) {
    drawing.append(
      draw('line', { class: 'grid', x1: left, x2: width - right, y1: atY(tick), y2: atY(tick) }),
      draw('text', { x: left - 5, y: atY(tick) + 3.5, 'text-anchor': 'end' }, [short(tick, 4)]),
    );
  }
  for (const tick of x.ticks) drawing.append(draw('text', { x: atX(tick), y: height - bottom + 14, 'text-anchor': 'middle' }, [short(tick, 4)]));
  plot.places.forEach((place, k) => {
    const at = [atX(k), height - bottom + 12] as const;
    const text = place.length > 16 ? `${place.slice(0, 15)}…` : place;
    drawing.append(draw('text', { x: at[0], y: at[1], 'text-anchor': slanted ? 'end' : 'middle', ...(slanted ? { transform: `rotate(-28 ${at[0]} ${at[1]})` } : {}) }, [text]));
  });
  const wide = (0.8 * (width - left - right)) / (x.high - x.low) / Math.max(plot.series.length, 1);
  plot.series.forEach(({ name, points }, number) => {
    const colour = COLOURS[number % COLOURS.length]!;
    const tooltip = (place: number, value: number) => draw('title', {}, [`${name}: ${short(value, 4)} at ${plot.places[place] ?? short(place, 4)}`]);
    if (bars) {
      for (const [place, value] of points) {
        const from = atX(place) + (number - plot.series.length / 2) * wide;
        drawing.append(draw('rect', { x: from, y: Math.min(atY(value), atY(0)), width: Math.max(wide - 1, 1), height: Math.abs(atY(0) - atY(value)), fill: colour, 'fill-opacity': paleness(number) }, [tooltip(place, value)]));
      }
      return;
    }
    drawing.append(draw('polyline', { class: 'series', stroke: colour, 'stroke-dasharray': number < COLOURS.length ? 'none' : '4 3', points: points.map(([place, value]) => `${atX(place).toFixed(1)},${atY(value).toFixed(1)}`).join(' ') }));
    if (points.length <= 40) for (const [place, value] of points) drawing.append(draw('circle', { cx: atX(place), cy: atY(value), r: 2.2, fill: colour }, [tooltip(place, value)]));
  });
  drawing.append(draw('line', { class: 'axis', x1: left, x2: width - right, y1: atY(y.low), y2: atY(y.low) }));
  const legend = plot.series.length > 1 ? [make('p', { className: 'legend' }, plot.series.map(({ name }, number) => {
    const mark = make('i', {});
    mark.style.background = COLOURS[number % COLOURS.length]!;
    mark.style.opacity = String(paleness(number));
    return make('span', {}, [mark, name]);
  }))] : [];
  return make('figure', {}, [make('figcaption', { textContent: plot.title }), drawing as unknown as Node, make('p', { className: 'soft', textContent: `${plot.y} by ${plot.x}` }), ...legend]);
}

/** Records of experiments: claims with verdicts, tables and plots. */
export function labPanel(studio: Studio): Panel {
  const list = make('ul', { className: 'stored' }, [], { role: 'listbox', 'aria-label': 'Experiments' });
  const body = make('div', {});
  const root = make('div', { className: 'pane' }, [heading('Lab'), list, body]);
  let chosen = '';
  const fill = () => list.replaceChildren(...(studio.hello?.panels.records ?? []).map((file) => {
    const [machine, name] = file.split('/').slice(-2) as [string, string];
    return make('li', { className: chosen === file ? 'chosen' : '' }, [
      make('button', { className: 'pick', onclick: () => studio.say({ do: 'panel', panel: 'records', message: { file } }) }, [make('strong', { textContent: name.replace('.json', '') }), make('span', { className: 'soft', textContent: machine })], { 'data-record': name.replace('.json', '') }),
    ], { role: 'option', 'aria-selected': String(chosen === file) });
  }));
  const table = ({ title, columns, rows }: LabRecord['tables'][number]) => make('details', {}, [
    make('summary', { className: 'fold', textContent: `${title} (${rows.length})` }),
    make('div', { className: 'scroll' }, [make('table', { className: 'figures' }, [
      make('thead', {}, [make('tr', {}, columns.map((column) => make('th', { textContent: column })))]),
      make('tbody', {}, rows.map(({ label, cells }) => make('tr', {}, [make('th', { textContent: label }), ...cells.map((cell) => make('td', { textContent: textOf(cell) }))]))),
    ])]),
  ]);
  const show = () => {
    const { record } = studio;
    if (!record) return;
    body.replaceChildren(
      make('h3', { textContent: record.experiment }),
      make('dl', {}, facts([['machine', record.machine?.name ?? ''], ['date', record.date ?? ''], ['duration', `${short(record.seconds ?? 0, 3)} s`]])),
      make('ul', { className: 'findings' }, (record.findings ?? []).map(({ claim, verdict, why }) => make('li', { title: why }, [make('span', { className: `status ${verdict}`, textContent: verdict }), make('div', {}, [claim, make('p', { className: 'soft', textContent: why })])]))),
      ...(record.plots ?? []).map(chart),
      ...(record.tables ?? []).map(table),
      ...(record.notes ?? []).map((note) => make('p', { className: 'soft', textContent: note })),
    );
  };
  return {
    root,
    update: (what) => {
      if (what === 'hello' || what === 'open') fill();
      if (what === 'record') {
        chosen = studio.recordFile;
        fill();
        show();
      }
    },
  };
}
