// The page from a server: the same page, whose blocks are asked for one by one; before it is
// there, how far the run is; and the list of runs.

import {el, refill} from './dom.js';
import {extend} from './extend.js';
import {useSource} from './source.js';
import {start} from './main.js';
import {askRun, labelling, place, planning} from './ask.js';
import {liveView, watch} from './live.js';
import {showCalls} from './calls.js';
import {labelPage} from './office.js';
import {planPage} from './planner.js';
import {runList} from './runs.js';

// serve shows what the address names.
export async function serve() {
  const node = document.getElementById('page');
  try {
    if (labelling) await labelPage(node, labelling);
    else if (planning) await planPage(node, planning);
    else if (place) await runPage(node);
    else await runList(node);
  } catch (err) {
    node.prepend(el('p', {class: 'warn', role: 'alert'}, err.message), place || labelling || planning ? home() : '');
    document.documentElement.dataset.ready = 'no';
  }
}

function home() { return el('p', {class: 'home'}, el('a', {href: '/'}, '← All runs')); }

// runPage shows runs as they are made, and their page once they are finished.
async function runPage(node) {
  let open = null; // the state whose page is shown
  await watch((state) => {
    const finished = state.runs.every((r) => r.finished);
    if (open && open !== stamp(state)) location.reload(); // a run was extended
    else if (finished && !open) {
      open = stamp(state);
      openPage(node);
    } else if (!finished) liveView(node, state);
  });
}

// stamp tells what runs hold.
function stamp(state) { return state.runs.map((r) => r.stamp).join(); }

function openPage(node) {
  useSource((name) => askRun('block/' + name));
  extend('first', (first) => first.prepend(el('p', {class: 'home'}, el('a', {href: '/'}, '← All runs'),
    place.includes('-') ? null : [' · ', el('a', {href: '/labels/' + place}, 'Have people label it')])));
  extend('failed', (failed) => failed.append(home()));
  showCalls();
  refill(node, el('p', {class: 'note', role: 'status'}, 'The page is made …'));
  start();
}
