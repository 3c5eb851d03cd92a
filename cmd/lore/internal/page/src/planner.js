// What people label of a run: the labelling folders that there are, and a plan for another.

import {ask, tell} from './ask.js';
import {button, choice, el, line, refill} from './dom.js';
import {duration, outlookPicture} from './outlook.js';
import {counted, number, short} from './words.js';

// planPage draws the labelling of the run with an id.
export async function planPage(node, id) {
  const s = await ask(`/run/${id}/labelling`);
  document.title = 'Labels · ' + short(s.run, 60);
  refill(node, el('p', {class: 'home'}, el('a', {href: '/run/' + id}, '← The run')),
    el('h1', null, 'Labels by people'),
    el('p', null, 'A judge is right on average at best. People who label a sample of its verdicts tell how far the scores are off, and correct them.'),
    s.folders.length ? folderList(s.folders) : null,
    s.choices ? form(id, s) : el('p', {class: 'warn'}, line(s.problem)));
  document.documentElement.dataset.ready = 'yes';
}

// folderList are labelling folders, to label in or to look at.
export function folderList(folders) {
  return el('ul', {class: 'folders'}, folders.map((f) => el('li', null,
    f.problem ? el('p', {class: 'warn'}, line(f.problem)) : [
      el('b', null, f.title), el('p', {class: 'note'}, `${f.decided} of ${counted(f.planned, 'item')} labelled` + (f.split ? `, annotators differ on ${f.split}` : '') + ` · ${short(f.name, 120)}`),
      el('p', null, el('a', {href: '/label/' + f.id}, 'Label'), ' · ', el('a', {href: `/label/${f.id}#results`}, 'Results'))])));
}

// form asks what to plan, and tells what it would give as it is filled in.
function form(id, s) {
  const {tasks, judges} = s.choices;
  const wish = {task: tasks[0]?.name || '', judge: judges[0] || '', minutes: 30, labels: 0, annotators: '', shared: null, adjudicator: '', differences: false, evenly: false, make: false};
  const gives = el('div', {class: 'gives', 'aria-live': 'polite'});
  const amount = el('input', {type: 'number', id: 'amount', min: 1, max: 100000, value: 30, input: () => set()});
  const unit = el('select', {id: 'unit', 'aria-label': 'of what', change: () => set()}, el('option', {value: 'minutes'}, 'minutes of each person'), el('option', {value: 'labels'}, 'labels'));
  let asked = 0;
  let waiting = 0;

  const set = (changes) => {
    Object.assign(wish, changes);
    const n = Math.max(0, Number(amount.value) || 0);
    Object.assign(wish, unit.value === 'minutes' ? {minutes: n, labels: 0} : {minutes: 0, labels: Math.floor(n)});
    clearTimeout(waiting);
    waiting = setTimeout(outline, 300);
  };
  const outline = async () => {
    const now = ++asked;
    try {
      const o = await tell(`/run/${id}/plan`, {...wish, make: false});
      if (now === asked) refill(gives, outlineOf(o));
    } catch (err) {
      if (now === asked) refill(gives, el('p', {class: 'warn'}, err.message));
    }
  };
  const make = async (e) => {
    e.preventDefault();
    set();
    clearTimeout(waiting);
    try {
      const o = await tell(`/run/${id}/plan`, {...wish, make: true});
      location.href = '/label/' + o.id;
    } catch (err) {
      refill(gives, el('p', {class: 'warn', role: 'alert'}, err.message));
    }
  };

  const text = (name, words, hint, change) => el('label', {class: 'choice'}, el('span', null, words), el('input', {type: 'text', id: name, placeholder: hint, autocomplete: 'off', input: (e) => set(change(e.target.value))}));
  outline();
  return el('form', {class: 'plan', submit: make}, el('h2', null, s.folders.length ? 'Plan more: of the same goes on, of another begins' : 'Plan what to label'),
    el('div', {class: 'controls'},
      choice('What is asked', tasks.map((t) => [t.name, `${t.title} (${t.name})`]), wish.task, (task) => set({task})),
      judges.length > 1 ? choice('Whose scores are checked', judges.map((j) => [j, short(j, 60)]), wish.judge, (judge) => set({judge})) : null,
      el('label', {class: 'choice'}, el('span', null, 'How much'), el('span', {class: 'amount'}, amount, unit))),
    el('div', {class: 'controls'},
      text('annotators', 'Who labels, if it is known', 'anna, ben', (annotators) => ({annotators})),
      text('adjudicator', 'Who decides where they differ', 'carl', (adjudicator) => ({adjudicator: adjudicator.trim()})),
      choice('Labelled by all of them', [['', 'as it is, or every fifth item'], ['0.5', 'half'], ['1', 'everything'], ['0', 'nothing']], '', (shared) => set({shared: shared === '' ? null : Number(shared)})),
      choice('Which are drawn', [['', 'those that narrow each score most'], ['differences', 'those that narrow the differences between systems'], ['evenly', 'as many of each system, by lot, whatever the judge says']], '',
        (how) => set({differences: how === 'differences', evenly: how === 'evenly'}))),
    gives,
    el('p', null, el('button', {type: 'submit', class: 'main', id: 'make'}, 'Make the plan')));
}

function outlineOf(o) {
  const end = o.outlook?.at(-1);
  return [
    el('p', null, `${counted(o.labels, 'item')} of ${o.of}, ${duration(o.labels * o.seconds)} of work in all.` +
      (end ? ` Expected: each score to ±${number(end.half_width)} for these very texts, if the judge correlates ${number(o.correlation, 2)} with people.` : ' Too few for an interval.')),
    (o.changes || []).map((c) => el('p', null, c)),
    o.left_out ? el('p', {class: 'note'}, `Left out: ${counted(o.left_out, 'verdict')} that the judge left unscored.`) : null,
    o.outlook ? outlookPicture(o.outlook, []) : null,
  ];
}
