// Where somebody labels, item by item.

import {briefing, isBriefing, showInstructions} from './briefing.js';
import {button, el, refill} from './dom.js';
import {fieldOfKey, fieldsOf, otherAnswers} from './fields.js';
import {duration, outlookPicture} from './outlook.js';
import {passagesOf} from './passages.js';
import {lacks} from './rules.js';
import {choose, done, labelOf, mark, newSeat, next, pace, sit, undoOf} from './seat.js';
import {counted} from './words.js';

let node = null;
let keeper = null;
let seat = null;
let view = null; // the item that is drawn
let saving = false;

// labelDesk draws the labelling of a sheet. keeper holds the sheet and keeps labels: open(name)
// promises an annotator's labels, save(label) that one is kept, told in words; lately() is the
// name used last; extra, aside and finish add to the pages.
export function labelDesk(into, by) {
  node = into;
  keeper = by;
  document.addEventListener('keydown', onKey);
  brief();
  const seated = keeper.seated(); // the page was loaded again, not left
  if (seated) begin(seated).catch(() => brief());
}

function stop() {
  keeper.leave();
  brief();
}

function brief() {
  seat = null;
  document.title = keeper.sheet.task.title;
  delete document.documentElement.dataset.item;
  delete document.documentElement.dataset.saved;
  briefing(node, keeper, begin);
}

// begin seats an annotator.
async function begin(name) {
  const {labels, others, course} = await keeper.open(name);
  seat = newSeat(keeper.sheet, name, labels, others);
  seat.course = course || [];
  goOn();
}

// goOn shows the next item, or that all is done.
function goOn() {
  const at = next(seat);
  if (at < 0) finished();
  else show(at);
}

function show(at) {
  sit(seat, at);
  const {sheet} = seat;
  const item = seat.items.get(seat.order[at]);
  const passages = passagesOf(sheet, item, {
    unit: (field, value) => change(() => choose(seat, field, value)),
    mark: (span) => change(() => mark(seat, placeField(), span)),
  });
  const fields = fieldsOf(sheet, item, {
    choose: (field, value) => change(() => choose(seat, field, value)),
    mark: (span) => change(() => mark(seat, placeField(), span)),
    selection: () => markSelection(),
  });
  const note = el('textarea', {rows: 1, id: 'note', placeholder: 'a note, if you like', 'aria-label': 'Note, if you like', input: () => { seat.answer.note = note.value; }}, seat.answer.note);
  const says = el('p', {class: 'says', role: 'status'});
  view = {item, passages, fields, says, note};

  refill(node, header(), el('div', {class: 'desk'},
    el('div', {class: 'about'},
      item.query ? el('div', {class: 'query'}, el('h3', null, 'The request'), el('p', {dir: 'auto'}, item.query)) : null,
      item.statement ? el('div', {class: 'statement'}, el('h2', {tabindex: '-1', dir: 'auto'}, item.statement)) : el('h2', {tabindex: '-1'}, sheet.task.title)),
    passages.node,
    el('div', {class: sheet.task.fields.length > 2 ? 'panel many' : 'panel'},
      seat.others[item.id] && seat.decides ? otherAnswers(sheet, item, seat.others[item.id]) : null,
      fields.node,
      note,
      el('div', {class: 'acts'},
        button('Save and go on', () => save(), {class: 'main', id: 'save'}),
        button('I cannot tell', () => unsure(), {id: 'unsure'}),
        button('Later', () => putOff(), {class: 'quiet', id: 'later'}),
        button('Note', () => { note.classList.add('wanted'); note.focus(); }, {class: 'quiet only-small'})),
      says,
      outlook())));
  update();
  window.scrollTo(0, 0);
  node.querySelector('.desk h2')?.focus({preventScroll: true});
  document.documentElement.dataset.item = item.id;
}

function header() {
  const up = done(seat);
  const left = seat.order.length - up.size;
  const strip = seat.order.length > 1 && seat.order.length <= 400
    ? el('div', {class: 'strip', role: 'group', 'aria-label': 'All items'}, seat.order.map((id, n) => el('button', {
      type: 'button', class: [up.has(id) ? 'up' : '', n === seat.at && view !== 'end' ? 'here' : ''].join(' ').trim() || null, click: () => show(n),
      'aria-label': `Item ${n + 1}, ${up.has(id) ? 'labelled' : 'open'}`, 'aria-current': n === seat.at ? 'true' : null, tabindex: n === seat.at ? '0' : '-1',
    })))
    : null;
  return el('header', {class: 'deskbar'},
    el('div', {class: 'barline'},
      el('b', null, keeper.sheet.task.title),
      el('span', {class: 'note', id: 'progress'}, `${up.size} of ${seat.order.length}` + (left ? `, about ${duration(left * pace(seat))} left` : '')),
      button('Instructions', () => showInstructions(keeper.sheet.task), {class: 'quiet', id: 'how'}),
      button('‹', () => step(-1), {class: 'quiet', 'aria-label': 'One back', disabled: view === 'end' || seat.at < 1}),
      button('›', () => step(1), {class: 'quiet', 'aria-label': 'One on', disabled: view === 'end' || seat.at + 1 >= seat.order.length}),
      button('Undo', () => undo(), {class: 'quiet', id: 'undo', disabled: !undoOf(seat)}),
      keeper.aside ? keeper.aside(seat) : null,
      button('Stop', () => stop(), {class: 'quiet', id: 'stop'})),
    strip);
}

function outlook() {
  const picture = outlookPicture(keeper.sheet.outlook || [], seat.course);
  return picture && el('details', {class: 'fold', open: seat.course.length > 0 && innerWidth > 900}, el('summary', null, 'What the labels give'), picture);
}

function placeField() { return seat.sheet.task.fields.find((f) => f.kind === 'place'); }

function change(how) {
  how();
  refill(view.says);
  update();
}

function update() {
  view.passages.update(seat.answer);
  view.fields.update(seat.answer);
}

function markSelection() {
  const span = view.passages.selected();
  if (!span) return refill(view.says, 'Nothing in the text is selected.');
  getSelection().removeAllRanges();
  return change(() => mark(seat, placeField(), span));
}

function unsure() {
  seat.answer.unsure = true;
  update();
  return save();
}

// save keeps the answer, and goes on only once it is kept.
async function save() {
  const missing = lacks(seat.sheet, seat.answer);
  if (missing) {
    refill(view.says, missing.kind === 'place' ? 'Mark at least one place: a yes without one does not count.' : `Not answered yet: ${missing.title}`);
    node.querySelector('.field.wanted input')?.focus();
    return;
  }
  seat.answer.note = view.note.value;
  await keep(labelOf(seat), goOn);
}

async function undo() {
  const label = undoOf(seat);
  if (!label) return;
  await keep(label, () => show(Math.max(0, seat.order.indexOf(label.item))));
}

// keep hands a label to the keeper. Until it is kept, nothing else happens.
async function keep(label, then) {
  if (saving) return;
  saving = true;
  const says = view === 'end' ? node.querySelector('.says') : view.says;
  node.setAttribute('aria-busy', 'true');
  try {
    const point = await keeper.save(label, seat);
    seat.labels.push(label);
    seat.later.delete(label.item);
    if (point) seat.course.push(point);
    document.documentElement.dataset.saved = String(seat.labels.length); // for who waits for it
    then();
  } catch (err) {
    refill(says, el('span', {class: 'warn'}, `Not saved. ${err.message}`));
  } finally {
    saving = false;
    node.removeAttribute('aria-busy');
  }
}

// step goes to the item before, or behind, without an answer.
function step(by) {
  const to = seat.at + by;
  if (to >= 0 && to < seat.order.length) show(to);
}

function putOff() {
  seat.later.add(seat.order[seat.at]);
  goOn();
}

function finished() {
  view = 'end';
  const up = done(seat).size;
  document.documentElement.dataset.item = 'end';
  refill(node, header(), el('div', {class: 'finished'},
    el('h1', {tabindex: '-1'}, seat.order.length ? `All ${counted(up, 'item')} labelled. Thank you.` : 'Nothing to label.'),
    seat.order.length ? null : el('p', null, seat.decides ? 'The annotators do not differ on any item so far.' : 'The plan has no item for this name.'),
    keeper.finish ? keeper.finish(seat) : null,
    el('p', {class: 'says', role: 'status'}),
    outlookPicture(keeper.sheet.outlook || [], seat.course)));
  node.querySelector('h1').focus();
}

// onKey labels by keyboard; what is typed into a field is left alone.
function onKey(e) {
  const typing = e.target.matches?.('textarea, select, input[type=text], input[type=search]');
  if (!seat || isBriefing() || e.altKey || e.metaKey || typing && !(e.ctrlKey && e.key === 'Enter')) return;
  if (e.ctrlKey && !['z', 'Enter'].includes(e.key)) return;
  const acts = {u: undo, z: e.ctrlKey ? undo : null, i: () => showInstructions(seat.sheet.task)};
  if (view !== 'end') {
    Object.assign(acts, {
      Enter: e.target.matches?.('button, summary, a') ? null : save, '?': unsure, s: putOff, m: placeField() ? markSelection : null,
      ArrowLeft: e.target.matches?.('input') ? null : () => step(-1), ArrowRight: e.target.matches?.('input') ? null : () => step(1),
    });
  }
  const found = view !== 'end' && !e.ctrlKey && fieldOfKey(seat.sheet, view.item, seat.answer, e.key.toLowerCase());
  if (found) change(() => choose(seat, ...found));
  else if (acts[e.key]) acts[e.key]();
  else return;
  e.preventDefault();
}
