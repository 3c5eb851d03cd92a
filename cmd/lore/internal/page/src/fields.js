// What is asked of an item, each field with its options and their keys.

import {button, el, refill} from './dom.js';
import {asked, inWords, lacks, optionsOf} from './rules.js';
import {short} from './words.js';

// fieldsOf draws the fields of an item. on.choose is told of a field and a value, on.mark of a
// place that is taken off, on.selection that what is selected is to be marked. update draws an
// answer into them.
export function fieldsOf(sheet, item, on) {
  const fields = sheet.task.fields.map((f) => ({f, ...(f.kind === 'place' ? places(f, on) : options(sheet, item, f, on))}));
  return {
    node: el('div', {class: 'fields'}, fields.map((x) => x.node)),
    update: (answer) => {
      const missing = lacks(sheet, answer);
      for (const x of fields) {
        x.node.hidden = !asked(x.f, answer);
        x.node.classList.toggle('wanted', x.f === missing);
        x.update(answer);
        if (x.f === missing && fields.length > 2) x.node.scrollIntoView({block: 'nearest'});
      }
    },
  };
}

// options are those of a choice, as boxes that a browser knows.
function options(sheet, item, field, on) {
  const many = field.kind === 'many';
  const list = optionsOf(sheet, item, field).map((o) => {
    const box = el('input', {
      type: many ? 'checkbox' : 'radio', name: 'field-' + field.name, value: o.value, change: () => on.choose(field, o.value),
      click: () => { if (field.optional && !many && box.dataset.was === 'yes') on.choose(field, o.value); },
    });
    const node = el('label', {class: 'option'}, box, o.key ? el('kbd', {'aria-hidden': 'true'}, o.key) : null,
      el('span', null, field.kind === 'unit' && !o.key ? o.title : field.kind === 'unit' ? null : isScale(field) ? el('span', {class: 'heard'}, titleOf(o)) : titleOf(o)), field.kind === 'unit' ? el('span', {class: 'heard'}, 'part ' + o.title) : null,
      o.help ? el('small', null, o.help) : null);
    return {box, node, value: o.value};
  });
  const node = el('fieldset', {class: 'field' + shapeOf(field, list)},
    el('legend', null, field.title, field.optional ? el('small', null, ' if you like') : many ? el('small', null, ' all that apply, or none') : null),
    el('div', {class: 'options'}, list.map((o) => o.node)), ends(field));
  return {
    node,
    update: (answer) => {
      const given = answer.unsure ? [] : answer.fields[field.name] || [];
      for (const o of list) {
        o.box.checked = given.includes(o.value);
        o.box.dataset.was = o.box.checked ? 'yes' : '';
        o.node.classList.toggle('chosen', o.box.checked);
      }
    },
  };
}

// isScale says whether only some grades of a field have words: these then stand below all.
function isScale(field) { return !field.own_options && (field.options || []).some((o) => o.title === o.key); }

function shapeOf(field, list) {
  return isScale(field) || field.kind === 'unit' || list.every((o) => o.node.textContent.length < 4) ? ' tight' : '';
}

// ends are the words of a scale's grades.
function ends(field) {
  if (!isScale(field)) return null;
  return el('p', {class: 'ends note'}, field.options.filter((o) => titleOf(o)).map((o) => el('span', null, `${o.key} ${titleOf(o)}`)));
}

// titleOf is an option's words; a grade says its number once, as its key does.
function titleOf(o) { return o.key && o.title.startsWith(o.key + ': ') ? o.title.slice(3) : o.title === o.key ? '' : o.title; }

// places are those that were marked.
function places(field, on) {
  const list = el('ul', {class: 'marks'});
  const node = el('fieldset', {class: 'field'},
    el('legend', null, field.title, field.optional ? el('small', null, ' if you like') : null),
    el('p', {class: 'note'}, 'Press a sentence in the text, or select words in it.'),
    button('Mark what is selected', () => on.selection(), {class: 'quiet'}), list);
  return {
    node,
    update: (answer) => refill(list, (answer.spans[field.name] || []).map((s) => el('li', null,
      el('q', null, short(s.quote, 120)), ' ', button('take off', () => on.mark(s), {class: 'link', 'aria-label': `Take off the mark ${short(s.quote, 60)}`})))),
  };
}

// fieldOfKey is the field and the value that a key answers: of the field that is due first, or
// else of another that is asked. null where it answers none.
export function fieldOfKey(sheet, item, answer, key) {
  const open = sheet.task.fields.filter((f) => f.kind !== 'place' && asked(f, answer));
  const due = open.findIndex((f) => f.kind !== 'many' && !(answer.fields[f.name] || []).length);
  const order = due < 0 ? [...open].reverse() : [...open.slice(due), ...open.slice(0, due).reverse()];
  for (const f of order) {
    const option = optionsOf(sheet, item, f).find((o) => o.key && o.key === key);
    if (option) return [f, option.value];
  }
  return null;
}

// otherAnswers show an adjudicator what the annotators say, without their names.
export function otherAnswers(sheet, item, answers) {
  return el('section', {class: 'others', 'aria-label': 'What the annotators say'},
    el('h3', null, 'The annotators differ'),
    el('ul', null, answers.map((a) => el('li', null, inWords(sheet, item, a), a.note ? el('small', null, ` — ${short(a.note, 300)}`) : null))));
}
