// What an annotator reads first: what is asked, examples, and how it is done.

import {button, el, refill} from './dom.js';
import {duration} from './outlook.js';
import {inWords, orderOf} from './rules.js';
import {counted} from './words.js';

// instructions are the steps and examples of a task.
export function instructions(task) {
  return [
    el('ol', {class: 'how'}, task.steps.map((s) => el('li', null, s))),
    task.examples.length ? el('h3', null, task.examples.length > 1 ? 'Examples' : 'An example') : null,
    el('div', {class: 'examples'}, task.examples.map((e) => el('div', {class: 'example'},
      e.statement ? el('p', {class: 'said'}, e.statement) : null,
      el('pre', null, e.text),
      el('p', null, el('b', null, exampleAnswer(task, e.answer))),
      el('p', {class: 'note'}, e.why)))),
  ];
}

function exampleAnswer(task, given) {
  const fields = Object.fromEntries(Object.entries(given).map(([f, v]) => [f, v.split(', ')]));
  const places = task.fields.filter((f) => f.kind === 'place' && fields[f.name]);
  const spans = Object.fromEntries(places.map((f) => [f.name, [{quote: given[f.name]}]]));
  for (const f of places) delete fields[f.name];
  const named = {...task, fields: task.fields.map((f) => (task.fields.length > 2 && f.kind === 'choice' ? {...f, options: f.options.map((o) => ({...o, title: `${f.title}: ${o.title}`}))} : f))};
  return inWords({task: named}, null, {fields, spans});
}

// keysOf are the keys that label.
const keysHelp = [
  ['the letter or number beside an answer', 'choose it'], ['Enter', 'save, and go on'], ['?', 'cannot tell'], ['s', 'put off until later'],
  ['u', 'take the last one back'], ['← →', 'one back, one on'], ['i', 'these instructions'],
];

// keyTable is how the keys are told.
export function keyTable() {
  return el('dl', {class: 'keyhelp'}, keysHelp.map(([k, what]) => [el('dt', null, el('kbd', null, k)), el('dd', null, what)]));
}

// briefing is the first screen. keeper may add to it; begin is told the annotator's name.
export function briefing(node, keeper, begin) {
  const {sheet} = keeper;
  const {task} = sheet;
  const says = el('p', {class: 'warn', role: 'alert'});
  const named = sheet.annotators || [];
  const most = Math.max(...(named.length ? named.filter((a) => !a.adjudicates).map((a) => a.items.length) : [orderOf(sheet, '').length]));
  const who = named.length
    ? el('select', {id: 'who'}, el('option', {value: ''}, 'choose'), named.map((a) => el('option', {value: a.name}, a.name + (a.adjudicates ? ', who decides where others differ' : ''))))
    : el('input', {id: 'who', type: 'text', autocomplete: 'off', maxlength: '60', placeholder: 'a name, or initials'});
  who.value = named.length ? (named.some((a) => a.name === keeper.lately()) ? keeper.lately() : '') : keeper.lately();

  const go = async (e) => {
    e.preventDefault();
    const name = who.value.trim();
    refill(says, name ? '' : named.length ? 'Choose who you are.' : 'Say who labels: agreement is measured between people.');
    if (!name) return who.focus();
    try {
      await begin(name);
    } catch (err) {
      refill(says, err.message);
    }
  };
  refill(node, el('div', {class: 'briefing'},
    keeper.home ? el('p', {class: 'home'}, el('a', {href: keeper.home}, '← Back')) : null,
    el('h1', null, task.title),
    el('p', null, `${counted(most, 'item')}${named.length > 1 ? ' for each' : ''}, about ${duration(most * task.seconds)}. Stop whenever you like: what is saved counts, and you can go on later.`),
    instructions(task),
    el('h2', null, 'By keyboard'), keyTable(),
    el('form', {class: 'begin', submit: go},
      el('label', {class: 'choice'}, el('span', null, 'Who labels?'), who),
      el('button', {type: 'submit', class: 'main'}, 'Begin'),
      keeper.extra ? keeper.extra(says) : null, says),
    el('p', {class: 'note'}, 'After: ' + task.source)));
  document.documentElement.dataset.ready = 'yes';
}

let dialog = null;

// showInstructions opens them over the item.
export function showInstructions(task) {
  if (!dialog) {
    dialog = el('dialog', {class: 'reader', 'aria-labelledby': 'how-title'});
    dialog.addEventListener('click', (e) => { if (e.target === dialog) dialog.close(); });
    document.body.append(dialog);
  }
  refill(dialog, el('header', null, el('h2', {id: 'how-title'}, task.title), button('Close', () => dialog.close(), {class: 'quiet', autofocus: true})),
    instructions(task), el('h3', null, 'By keyboard'), keyTable());
  if (!dialog.open) dialog.showModal();
}

// isBriefing says whether the instructions are open.
export function isBriefing() { return dialog !== null && dialog.open; }
