// Statements × systems, as a map of colours: a column per statement, a row per system.

import {el} from './dom.js';
import {ranked, go, rowOf, state} from './state.js';
import {number, short} from './words.js';

const tall = 16;
const mostRows = 120;

// heatMap draws all verdicts. Columns go from what most systems cover to what none does.
export function heatMap(width) {
  const {statements, verdicts} = state.values;
  const systems = ranked(state.metric, state.judge).filter((n) => verdicts[rowOf(n)]).slice(0, mostRows);
  if (systems.length === 0 || !statements.length) return null;
  const of = (n) => verdicts[rowOf(n)];
  const mean = statements.map((_, k) => average(systems.map((n) => of(n)[k])));
  const columns = statements.map((_, k) => k).sort((a, b) => (mean[b] ?? -1) - (mean[a] ?? -1));

  const left = Math.min(180, Math.round(width * 0.3));
  const height = systems.length * tall + 4;
  const canvas = el('canvas', {role: 'img', 'aria-label': `${statements.length} ${graded() ? 'grades' : 'statements'} by ${systems.length} systems; the table below says how each fares`});
  const dense = window.devicePixelRatio || 1;
  Object.assign(canvas, {width: Math.round(width * dense), height: Math.round(height * dense)});
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';

  const pen = canvas.getContext('2d');
  pen.scale(dense, dense);
  const colours = coloursOf(canvas);
  const each = (width - left) / columns.length;
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  systems.forEach((n, r) => {
    pen.fillStyle = colours.ink;
    pen.fillText(short(state.head.systems[n].name, Math.floor(left / 6.8)), 0, r * tall + tall / 2);
    columns.forEach((k, c) => {
      const v = of(n)[k];
      pen.fillStyle = v === null || v === undefined ? colours.missing : colours.of(v / 100);
      pen.fillRect(left + c * each, r * tall + 1, each > 3 ? each - 0.6 : each + 0.3, tall - 2);
    });
  });

  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    const c = Math.floor((event.clientX - box.left - left) / each);
    const n = systems[Math.floor((event.clientY - box.top) / tall)];
    return c >= 0 && columns[c] !== undefined && n !== undefined ? [n, columns[c]] : null;
  };
  canvas.addEventListener('mousemove', (e) => {
    const hit = at(e);
    canvas.title = hit ? `${short(state.head.systems[hit[0]].name, 80)}: ${number(of(hit[0])[hit[1]], 0)} on ${graded() ? 'grade' : 'statement'} ${statements[hit[1]][1] + 1} of “${short(state.head.items[statements[hit[1]][0]].title, 90)}”` : '';
  });
  canvas.addEventListener('click', (e) => { const hit = at(e); if (hit) go({question: statements[hit[1]][0]}); });

  const rows = systems.map((n) => {
    const known = of(n).filter((v) => v !== null && v !== undefined);
    const share = (test) => number((100 * known.filter(test).length) / (known.length || 1)) + ' %';
    return [state.head.systems[n].name, number(average(known)), share((v) => v >= 100), share((v) => v === 0), String(of(n).length - known.length)];
  });
  return {svg: el('div', {class: 'heat'}, canvas, legend(colours)), table: {head: ['system', 'mean', ends()[1], ends()[0], 'unscored'], rows}};
}

function average(list) {
  const known = list.filter((v) => v !== null && v !== undefined);
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
}

// ends are the words for the lowest and the highest verdict, by what was asked.
const ends = () => (state.head.kinds.length === 1 && endsOf[state.head.kinds[0]]) || (graded() ? ['lowest grade', 'highest grade'] : ['no', 'wholly']);

const endsOf = {coverage: ['not covered', 'wholly'], entailment: ['not entailed', 'entailed'], answerability: ['not answered', 'answered']};

// graded reports whether all that was asked for is grades of whole answers, not verdicts on statements.
export function graded() {
  return state.head.kinds.length > 0 && state.head.kinds.every((k) => k === 'relevance' || k === 'consistency');
}

function legend(colours) {
  const steps = [0, 0.25, 0.5, 0.75, 1].map((v) => {
    const box = el('i');
    box.style.background = colours.of(v);
    return el('span', null, box, v === 0 ? ends()[0] : v === 1 ? ends()[1] : '');
  });
  const none = el('i');
  none.style.background = colours.missing;
  return el('p', {class: 'legend', 'aria-hidden': 'true'}, steps, el('span', null, none, 'unscored'));
}

// coloursOf reads the page's colours, which differ in the light and in the dark.
function coloursOf(node) {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  const stops = [0, 1, 2, 3, 4].map((i) => channels(value('--heat' + i)));
  const of = (v) => {
    const at = Math.min(3.999, Math.max(0, v * 4));
    const i = Math.floor(at);
    const mix = stops[i].map((x, c) => Math.round(x + (stops[i + 1][c] - x) * (at - i)));
    return `rgb(${mix.join(' ')})`;
  };
  return {of, ink: value('--ink'), missing: value('--missing'), node};
}

function channels(hex) { return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)); }
