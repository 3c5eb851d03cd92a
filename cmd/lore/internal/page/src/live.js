// A run that goes on: how far it is, and what failed so far.

import {el, line, refill} from './dom.js';
import {place, poller} from './ask.js';
import {counted} from './words.js';

const pause = 1000; // milliseconds between two questions to the server

const calm = 3000; // the same, while all are finished: one may be extended

// watch asks how the runs are, as long as the page is there. drawn is told of each new state.
export async function watch(drawn) {
  const next = poller(`/run/${encodeURIComponent(place)}/state`);
  let finished = false;
  for (;;) {
    const state = await next();
    if (state) drawn(state);
    if (state) finished = state.runs.every((r) => r.finished && !r.running);
    await new Promise((done) => setTimeout(done, finished ? calm : pause));
  }
}

// liveView draws runs that are not finished.
export function liveView(node, state) {
  document.title = 'Run · lore';
  refill(node, el('p', {class: 'home'}, el('a', {href: '/'}, '← All runs')), state.runs.filter((r) => !r.finished).map(runView));
}

function runView(run) {
  return el('section', {class: 'live'},
    el('h1', null, line(run.folder)),
    el('p', {class: run.running ? 'lead' : 'warn', role: 'status'}, run.running ? 'The run goes on. The page opens when it is finished.'
      : 'The run was interrupted, or has not begun. The same lore run command goes on with it.'),
    wholeView(run),
    run.phases.length ? el('ul', {class: 'phases'}, run.phases.map(phaseView)) : el('p', {class: 'note'}, 'Nothing is known of its phases yet.'),
    callsView(run), failedView(run), answersView(run));
}

// wholeView says how much of the run is done, and how long the rest takes.
function wholeView(run) {
  if (!run.share && !run.left) return null;
  const share = Math.floor(run.share);
  const bar = run.share ? [el('progress', {max: 100, value: share, 'aria-label': 'Done of the whole run'}), ` ${share} %`] : [];
  return el('p', {class: 'whole'}, bar, bar.length && run.left ? `, ${run.left}` : run.left);
}

function phaseView(p) {
  return el('li', null, el('span', null, line(p.name)), el('progress', {max: Math.max(1, p.total), value: p.done, 'aria-label': p.name}),
    el('span', {class: 'number'}, `${p.done} of ${p.total}`));
}

// callsView says how many calls each model has finished.
function callsView(run) {
  if (!run.calls.length) return null;
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Calls to models'}, el('table', {class: 'calls'},
    el('thead', null, el('tr', null, ['Model', 'Finished', 'Failed', 'Seconds a call (median)'].map((h) => el('th', {scope: 'col'}, h)))),
    el('tbody', null, run.calls.map((c) => el('tr', null, el('th', {scope: 'row'}, line(c.model)), el('td', {class: 'number'}, String(c.done)),
      el('td', {class: c.failed ? 'number warn' : 'number'}, String(c.failed)), el('td', {class: 'number'}, seconds(c.median_ms)))))));
}

// failedView lists the calls that failed, and were not made good since.
function failedView(run) {
  const failed = run.calls.reduce((n, c) => n + c.failed, 0);
  if (!failed) return el('p', {class: 'note failures'}, 'No call in the journal has failed so far.');
  const rest = failed - run.failures.length;
  return el('div', {class: 'failures'}, el('h2', null, `${counted(failed, 'call')} failed so far`),
    el('ul', null, run.failures.map((f) => el('li', null, el('b', null, line(f.outcome)), ' ', line(`${f.model}: ${f.detail || 'no reason given'}`)))),
    rest > 0 ? el('p', {class: 'note'}, `${rest} earlier ones are not listed here; the journal has them.`) : null);
}

// answersView says which answers failed: a call may go well whose answer cannot be used.
function answersView(run) {
  if (!run.failed_answers) return el('p', {class: 'note'}, 'No answer has failed so far.');
  const rest = run.failed_answers - run.answers.length;
  return el('div', {class: 'failures failed-answers'}, el('h2', null, `${counted(run.failed_answers, 'answer')} failed so far`),
    el('ul', null, run.answers.map((a) => el('li', null, el('b', null, line(a.system)), ' ', line(`${a.item}: ${a.reason || 'no reason given'}`)))),
    rest > 0 ? el('p', {class: 'note'}, `${rest} earlier ones are not listed here.`) : null);
}

// seconds words a time.
export function seconds(ms) { return ms < 10 ? '< 0.01' : (ms / 1000).toFixed(ms < 10000 ? 2 : 1); }
