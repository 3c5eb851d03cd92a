// Who labels: the annotator's items in their order, what was answered, and the clock.

import {asked, blank, copyOf, decides, differ, last, orderOf, settled, standing} from './rules.js';

// newSeat makes an annotator's seat. labels are the own ones, as they were saved; others are the
// answers of those who differ, by item, for an annotator who decides.
export function newSeat(sheet, name, labels, others) {
  const items = new Map(sheet.items.map((i) => [i.id, i]));
  const seat = {
    sheet, name, labels, others: others || {}, items,
    decides: decides(sheet, name),
    order: orderOf(sheet, name).filter((id) => items.has(id)),
    at: -1, later: new Set(), answer: blank(), clock: newClock(),
  };
  if (seat.decides) seat.order = seat.order.filter((id) => seat.others[id]);
  return seat;
}

// done are the items with an answer that stands.
export function done(seat) {
  const up = standing(seat.labels);
  return new Set(seat.order.filter((id) => up.has(id)));
}

// next is the place of the next item without an answer, those put off last; -1 where there is
// none.
export function next(seat) {
  const up = done(seat);
  const open = seat.order.map((id, n) => [id, n]).filter(([id]) => !up.has(id));
  const after = open.filter(([id, n]) => n > seat.at && !seat.later.has(id));
  const found = after[0] || open.find(([id]) => !seat.later.has(id)) || open.find(([, n]) => n > seat.at) || open[0];
  return found ? found[1] : -1;
}

// sit goes to an item, with the answer that it has.
export function sit(seat, at) {
  seat.at = at;
  const label = standing(seat.labels).get(seat.order[at]);
  seat.answer = copyOf(label?.answer);
  seat.clock.restart(label ? label.seconds || 0 : 0);
}

// labelOf is the label that the seat's answer makes.
export function labelOf(seat) {
  return signed(seat, {answer: settled(seat.sheet, seat.answer), item: seat.order[seat.at], seconds: seat.clock.seconds()});
}

// undoOf is the label that takes the last one back; null where there is none.
export function undoOf(seat) {
  const l = last(seat.labels);
  return l && signed(seat, {item: l.item, undo: true});
}

function signed(seat, label) {
  const out = {plan: seat.sheet.plan, task: seat.sheet.task.name, annotator: seat.name, at: stamp(seat), ...label};
  return seat.decides ? {...out, adjudicated: true} : out;
}

// stamp is the time, later than that of every label before.
function stamp(seat) {
  const before = Math.max(0, ...seat.labels.map((l) => Date.parse(l.at)).filter((t) => t < Date.now() + 86400000));
  return new Date(Math.max(Date.now(), before + 1)).toISOString();
}

// choose answers a field with a value, or takes it back where several may be chosen.
export function choose(seat, field, value) {
  const fields = seat.answer.fields;
  seat.answer.unsure = false;
  const has = (fields[field.name] || []).includes(value);
  if (field.kind === 'many') fields[field.name] = has ? fields[field.name].filter((v) => v !== value) : [...(fields[field.name] || []), value];
  else if (has && field.optional) delete fields[field.name];
  else fields[field.name] = [value];
}

// mark marks a place, or takes the mark off where it is there; other marks that it meets go. It
// answers what the field depends on where there is only one way to.
export function mark(seat, field, span) {
  const {answer} = seat;
  answer.unsure = false;
  if (!asked(field, answer) && !(answer.fields[field.when.field] || []).length && field.when.is.length === 1) {
    answer.fields[field.when.field] = [field.when.is[0]];
  }
  if (!asked(field, answer)) return;
  const meets = (s) => s.text === span.text && s.from < span.to && span.from < s.to;
  const same = (s) => s.text === span.text && s.from === span.from && s.to === span.to;
  const list = answer.spans[field.name] || [];
  const rest = list.filter((s) => !meets(s));
  answer.spans[field.name] = list.some(same) ? list.filter((s) => !same(s)) : [...rest, span].sort((a, b) => a.text - b.text || a.from - b.from);
}

// seconds is the median time of an item, as it went so far or as the task has it.
export function pace(seat) {
  const times = [...standing(seat.labels).values()].map((l) => l.seconds).filter((s) => s > 0).sort((a, b) => a - b);
  return times.length < 3 ? seat.sheet.task.seconds : times[Math.floor(times.length / 2)];
}

// gathered are the answers of others by item where they differ, from labels in files.
export function gathered(sheet, name, labels) {
  const by = new Map();
  for (const l of labels) if (l.annotator !== name) by.set(l.annotator, [...(by.get(l.annotator) || []), l]);
  const given = {};
  for (const own of by.values()) {
    for (const [item, l] of standing(own)) {
      if (!l.adjudicated && l.answer && !l.answer.unsure) (given[item] ||= []).push(l.answer);
    }
  }
  return Object.fromEntries(Object.entries(given).filter(([, a]) => a.length > 1 && differ(sheet, a))
    .map(([item, a]) => [item, a.sort((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1))]));
}

const longestDay = 24 * 3600;

// newClock counts the seconds that somebody looks at an item: it stands while the page is hidden.
function newClock() {
  let spent = 0;
  let since = 0;
  const read = () => spent + (since ? (performance.now() - since) / 1000 : 0);
  document.addEventListener('visibilitychange', () => {
    spent = read();
    since = document.hidden ? 0 : performance.now();
  });
  return {
    restart: (before) => { spent = before; since = document.hidden ? 0 : performance.now(); },
    seconds: () => Math.min(longestDay, Math.round(10 * read()) / 10),
  };
}
