// What is looked at. All of it stands in the address, so that a link shows the same:
// #q=QUESTION&a=SYSTEM&b=SYSTEM&judge=JUDGE&metric=METRIC. Letters name the systems that
// are compared, in their order. lost says what the address names that the page does not have.

const letters = 'abcdefghijklmnop';

export const state = {head: null, values: null, question: -1, systems: [], judge: 0, metric: 0, lost: []};

const listeners = [];

// onChange is told after every change, with what was before.
export function onChange(listener) { listeners.push(listener); }

// setHead takes the page's data and reads the address.
export function setHead(head) {
  state.head = head;
  readAddress();
  window.addEventListener('hashchange', () => {
    const before = {...state};
    readAddress();
    tell(before);
  });
}

// go changes what is looked at. A change of question is a step that the browser can go back.
export function go(changes) {
  const before = {...state};
  Object.assign(state, {lost: []}, changes);
  const address = '#' + addressOf(state);
  if (before.question !== state.question) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  tell(before);
}

function tell(before) { for (const l of listeners) l(before); }

// addressOf is the address of a state, without its sign.
export function addressOf(s) {
  const head = s.head;
  const parts = [];
  const add = (key, value) => parts.push(key + '=' + encodeURIComponent(value));
  if (s.question >= 0) add('q', head.items[s.question].id);
  s.systems.slice(0, letters.length).forEach((n, i) => add(letters[i], nameOf(head, n)));
  if (s.judge > 0) add('judge', head.judges[s.judge]);
  if (s.metric !== head.headline) add('metric', head.metrics[s.metric].name);
  return parts.join('&');
}

// linkTo is the address of the page with changes, for links that can be copied or opened in
// another tab.
export function linkTo(changes) {
  const address = addressOf({...state, ...changes});
  return '#' + (address.length <= longestLink ? address : '');
}

const longestLink = 4000; // names that are longer were made to harm

// follow makes a click on such a link change what is looked at, unless it asks for another tab.
export function follow(changes) {
  return (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    e.preventDefault();
    go(changes);
  };
}

// nameOf names a system in links: its name, or its number where two have one name.
function nameOf(head, n) {
  const name = head.systems[n].name;
  return head.systems.filter((s) => s.name === name).length > 1 ? String(n) : name;
}

function readAddress() {
  const head = state.head;
  const said = new URLSearchParams(location.hash.slice(1).replaceAll('+', '%2B'));
  const find = (list, value, otherwise) => {
    const i = value === null ? -1 : list.indexOf(value);
    return i >= 0 ? i : otherwise;
  };
  const lost = [];
  const missed = (kind, list, value) => { if (value !== null && !list.includes(value)) lost.push(`no ${kind} ${value}`); };
  const ids = head.items.map((i) => i.id);
  missed('question', ids, said.get('q'));
  missed('judge', head.judges, said.get('judge'));
  missed('metric', head.metrics.map((m) => m.name), said.get('metric'));
  state.question = find(ids, said.get('q'), -1);
  state.judge = find(head.judges, said.get('judge'), 0);
  state.metric = find(head.metrics.map((m) => m.name), said.get('metric'), head.headline);

  const names = head.systems.map((_, n) => nameOf(head, n));
  for (const l of letters) missed('system', names, said.get(l));
  state.lost = lost;
  const systems = [...letters].map((l) => find(names, said.get(l), -1)).filter((n) => n >= 0);
  state.systems = systems.length > 0 ? [...new Set(systems)] : usual();
}

// usual are the systems that are compared where nobody says which: all of a few, or the best of
// those that compete.
function usual() {
  const order = ranked(state.metric, state.judge);
  if (order.length <= 4) return order;
  const compete = order.filter((n) => !state.head.systems[n].reference);
  return (compete.length > 1 ? compete : order).slice(0, 3);
}

// rowOf is the row of a system under a judge.
export function rowOf(system, judge = state.judge) {
  return state.head.rows.findIndex((r) => r.system === system && r.judge === judge);
}

// figureOf is a row's figure of a metric; null where there is none.
export function figureOf(row, metric) {
  const r = state.head.rows[row];
  return (r && r.figures[metric]) || null;
}

// ranked are the systems by a metric under a judge, best first; those without a value last.
export function ranked(metric, judge) {
  const value = (n) => figureOf(rowOf(n, judge), metric)?.v ?? -Infinity;
  return state.head.systems.map((_, n) => n).filter((n) => rowOf(n, judge) >= 0).sort((a, b) => value(b) - value(a));
}

// contrastsOf are the tests of a metric under a judge.
export function contrastsOf(metric, judge) {
  return state.head.contrasts.find((c) => c.metric === metric && (c.judge === judge || c.judge < 0)) || null;
}

// between is the test of two systems, as the first minus the second; null where none was made.
export function between(contrasts, a, b) {
  for (const p of contrasts?.pairs || []) {
    if (p.a === a && p.b === b) return p;
    if (p.a === b && p.b === a) {
      const minus = (v) => (v === null ? null : -v);
      return {...p, a, b, d: minus(p.d), lo: minus(p.hi), hi: minus(p.lo)};
    }
  }
  return null;
}

// standing says how a system stands to the best one that competes: 'best', 'open' where no
// difference is shown, 'worse', or '' where nothing is marked.
export function standing(system, metric, judge) {
  const letter = contrastsOf(metric, judge)?.standing[system];
  return {b: 'best', o: 'open', w: 'worse'}[letter] || '';
}

// bestOf is the best system that competes, or the first of some where none is marked.
export function bestOf(systems, metric, judge) {
  return systems.find((n) => standing(n, metric, judge) === 'best') ?? systems.find((n) => !state.head.systems[n].reference) ?? systems[0];
}
