// The page is put together here.

import {el, refill} from './dom.js';
import {extended} from './extend.js';
import {firstScreen} from './first.js';
import {onDocument, questionList} from './list.js';
import {notes} from './notes.js';
import {pictures} from './pictures.js';
import {onKey, questionView} from './question.js';
import {openDocument} from './reader.js';
import {block} from './source.js';
import {onChange, setHead, state} from './state.js';
import {systemsTable} from './table.js';
import {short} from './words.js';

const parts = [['answer', 'Answer'], ['systems', 'Systems'], ['questions', 'Questions'], ['pictures', 'Pictures'], ['notes', 'Notes']];

// start draws the page: first what the head knows, then what needs the values of items.
export async function start() {
  const page = document.getElementById('page');
  if (typeof DecompressionStream === 'undefined') {
    refill(page, el('p', {class: 'warn'}, 'This browser is too old for the page. Chromium 103, Firefox 113, Safari 16.4 and newer can show it.'));
    return;
  }
  try {
    setHead(await block('head'));
    draw(page);
  } catch (err) {
    refill(page, extended('failed', el('div', null, el('p', {class: 'warn', role: 'alert'}, 'The page cannot be shown: ' + err.message))));
  }
}

function draw(page) {
  const overview = el('div', {id: 'overview'}, menu(), firstScreen(), systemsTable());
  requestAnimationFrame(() => performance.mark('table')); // for who measures
  const question = el('div', {id: 'question', hidden: true});
  const lost = el('div', {id: 'lost', role: 'alert'});
  refill(page, lost, overview, question);
  document.addEventListener('keydown', onKey);
  onDocument(openDocument);

  let place = 0; // where the overview was scrolled to
  const show = (before) => {
    const open = state.question >= 0;
    if (open && before && before.question < 0) place = window.scrollY;
    refill(lost, state.lost.length ? el('p', {class: 'warn'}, `The address asks for what this page does not have: ${short(state.lost.join(', '), 600)}.`) : null);
    overview.hidden = open;
    question.hidden = !open;
    const title = short(state.head.title, 80);
    document.title = open ? `${short(state.head.items[state.question].title, 80)} · ${title}` : title;
    const moved = !before || before.question !== state.question;
    if (open && (moved || before.systems !== state.systems || before.judge !== state.judge)) {
      questionView(question).then(() => { if (moved) question.querySelector('h1')?.focus(); }, (err) => refill(question, el('p', {class: 'warn'}, err.message)));
    }
    if (moved) window.scrollTo(0, open ? 0 : place);
  };
  onChange(show);
  show(null);

  block('values').then((values) => {
    state.values = values;
    overview.append(questionList(), pictures(), notes());
    if (state.question >= 0) questionView(question);
    document.documentElement.dataset.ready = 'yes';
  }).catch((err) => overview.append(el('p', {class: 'warn'}, err.message)));
}

function menu() {
  const jump = (id) => (e) => {
    e.preventDefault();
    document.getElementById(id)?.scrollIntoView({behavior: 'auto'});
  };
  return el('nav', {class: 'menu', 'aria-label': 'Parts of the page'},
    parts.map(([id, words]) => el('a', {href: '#', click: jump(id)}, words)));
}
