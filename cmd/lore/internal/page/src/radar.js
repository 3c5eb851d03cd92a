// A metric by the values of a facet: around a circle, or along a line.

import {keyOf, lines} from './charts.js';
import {draw, el} from './dom.js';
import {shape} from './list.js';
import {seriesOf} from './intervals.js';
import {state} from './state.js';
import {drawing, fitted, ticks, titled} from './svg.js';
import {counted, number} from './words.js';

// byFacet draws a figure for the chosen systems under the judge that is looked at.
export function byFacet(f) {
  return (width) => {
    const own = f.series.filter((s) => state.head.rows[s.row].judge === state.judge && seriesOf(state.head.rows[s.row].system) >= 0);
    if (own.length === 0) return null;
    const metric = state.head.metrics[f.metric];
    const {bins} = own[0];
    const series = own.map((s) => {
      const {system} = state.head.rows[s.row];
      const {name} = state.head.systems[system];
      const points = s.means.map((v, i) => [i, v, `${name}, ${bins[i]}: ${metric.title} ${number(v)} over ${counted(s.n[i], 'question')}`]);
      return {name, k: seriesOf(system), points: points.filter(([, v]) => v !== null)};
    });
    const top = metric.percent ? 100 : ticks(0, Math.max(...own.flatMap((s) => s.means.map((v) => v ?? 0))) * 1.1, 5).at(-1) || 1;
    const says = `${metric.title} by ${f.axis} of ${counted(series.length, 'system')}`;
    const svg = f.radar && bins.length > 2 ? radar(width, bins, series, says, top) : lines(width, bins, [f.axis, metric.title], series, says, top);
    const rows = bins.map((b, i) => [b, ...own.map((s) => (s.n[i] ? `${number(s.means[i])} (n ${s.n[i]})` : '–'))]);
    return {svg, table: {head: [f.axis, ...series.map((s) => s.name)], rows}};
  };
}

// radar draws a ring per system: a spoke for each name, the metric from the middle outwards. A name without a value
// leaves the ring open there.
function radar(width, names, series, says, top) {
  const room = Math.min(120, width * 0.24); // for the names beside the circle
  const r = Math.max(60, Math.min(190, width / 2 - room));
  const height = 2 * r + 56;
  const svg = drawing(width, height, says);
  const at = (i, v) => {
    const turn = (2 * Math.PI * i) / names.length;
    return [width / 2 + Math.sin(turn) * r * (v / top), height / 2 - Math.cos(turn) * r * (v / top)];
  };
  const path = (places) => places.map(([x, y], n) => `${n ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

  for (const t of ticks(0, top, 5).filter((v) => v > 0)) {
    const [x, y] = at(0, t);
    svg.append(draw('path', {class: 'grid ring', d: `${path(names.map((_, i) => at(i, t)))}Z`}),
      draw('text', {class: 'tick', x: x + 4, y: y + 11}, number(t, 0)));
  }
  names.forEach((name, i) => {
    const [x, y] = at(i, top);
    const [tx, ty] = at(i, top * (1 + 14 / r));
    const side = Math.abs(tx - width / 2) < 8 ? 'middle' : tx > width / 2 ? 'start' : 'end';
    const fits = (side === 'middle' ? 160 : side === 'start' ? width - tx : tx) * 1.18; // the letters are small
    svg.append(draw('line', {class: 'grid', x1: width / 2, y1: height / 2, x2: x, y2: y}),
      titled(draw('text', {class: 'tick', x: tx, y: ty + 4, 'text-anchor': side}, fitted(name, fits)), name));
  });

  for (const s of series) {
    const whole = s.points.length === names.length;
    const runs = whole ? [s.points] : together(s.points, names.length);
    for (const run of runs) {
      svg.append(draw('path', {class: `line s${s.k % 8}`, d: path(run.map(([i, v]) => at(i, v))) + (whole ? 'Z' : '')}));
    }
    for (const [i, v, words] of s.points) {
      const [x, y] = at(i, v);
      svg.append(titled(draw('g', null, shape(s.k, x, y, 4)), words));
    }
  }
  return el('div', null, keyOf(series), svg);
}

// together are the runs of points that stand side by side, around the circle.
function together(points, spokes) {
  const runs = [];
  for (const p of points) {
    const last = runs.at(-1)?.at(-1);
    if (last && last[0] === p[0] - 1) runs.at(-1).push(p);
    else runs.push([p]);
  }
  if (runs.length > 1 && runs[0][0][0] === 0 && runs.at(-1).at(-1)[0] === spokes - 1) runs[0] = [...runs.pop(), ...runs[0]];
  return runs;
}
