// How long calls took. Files never say it, since no two runs take the same time; the journal
// of a run does, and a server can look there.

import {el} from './dom.js';
import {extend} from './extend.js';
import {askRun} from './ask.js';
import {seconds} from './live.js';
import {state} from './state.js';
import {counted, short} from './words.js';

let asked = {item: -1, reply: null}; // of the question that is looked at

// showCalls adds times to the view of a question.
export function showCalls() {
  extend('answer', (node, {item, system}) => told(item).then(({answers}) => {
    const found = answers.find((a) => a.system === system);
    if (found) node.querySelector('header').append(el('p', {class: 'note took'}, `answered in ${seconds(found.ms)} s`));
  }, () => {}));
  extend('question', (node, {item}) => told(item).then(({models}) => {
    node.querySelector('.models')?.remove();
    const words = models.map((m) => `${short(m.model, 60)} ${seconds(m.median_ms)} s (${counted(m.calls, 'call')})`);
    if (words.length) node.append(el('p', {class: 'note models'}, `Median time of a call, over the whole run: ${words.join(', ')}.`));
  }, (err) => node.append(el('p', {class: 'note models'}, `Times are not known: ${err.message}`))));
}

function told(item) {
  if (asked.item !== item) asked = {item, reply: askRun('calls/' + item)};
  return asked.reply;
}
