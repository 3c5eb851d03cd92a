// What labelling goes by, as package label has it: which fields are asked, what an answer
// lacks, which labels stand, and where annotators differ. Nothing is drawn here.

// orderOf are the items for an annotator, in the order in which to label them.
export function orderOf(sheet, name) {
  const named = (sheet.annotators || []).find((a) => a.name === name);
  return named ? named.items : sheet.order || [];
}

// decides says whether an annotator has the last word where the others differ.
export function decides(sheet, name) {
  return (sheet.annotators || []).some((a) => a.name === name && a.adjudicates);
}

// unitsOf are the units of an item's text.
export function unitsOf(sheet, item, n) { return sheet.texts[item.texts[n].text].units; }

// wholeOf is an item's text as places are counted in it.
export function wholeOf(sheet, item, n) { return unitsOf(sheet, item, n).join('\n'); }

// asked says whether a field applies to an answer.
export function asked(field, answer) {
  return !field.when || (answer.fields[field.when.field] || []).some((v) => field.when.is.includes(v));
}

const signs = '123456789abcdefghijklmnopqrstuvwxyz';

// optionsOf are the options of a field for an item, each with its key on the keyboard.
export function optionsOf(sheet, item, field) {
  if (field.kind === 'unit') {
    return unitsOf(sheet, item, 0).map((_, i) => ({value: String(i + 1), title: String(i + 1), key: signs[i] && i < 9 ? signs[i] : ''}));
  }
  if (!field.own_options) return field.options || [];
  return (item.options || []).map((o, i) => ({...o, key: signs[i] || ''}));
}

// blank is an answer that says nothing yet.
export function blank() { return {fields: {}, spans: {}, unsure: false, note: ''}; }

// copyOf is an answer to change, without changing the label it stands in.
export function copyOf(answer) {
  return {...blank(), ...structuredClone(answer || {})};
}

// lacks is the first field that must be answered and is not; null where an answer is whole.
export function lacks(sheet, answer) {
  if (answer.unsure) return null;
  return sheet.task.fields.find((f) => {
    if (!asked(f, answer) || f.optional || f.kind === 'many') return false;
    return f.kind === 'place' ? !(answer.spans[f.name] || []).length : (answer.fields[f.name] || []).length !== 1;
  }) || null;
}

// settled is an answer as it is saved: only what was asked.
export function settled(sheet, answer) {
  const out = {};
  if (answer.unsure) out.unsure = true;
  else {
    for (const f of sheet.task.fields) {
      const [from, into] = f.kind === 'place' ? ['spans', answer.spans] : ['fields', answer.fields];
      if (!asked(f, answer) || !(into[f.name] || []).length) continue;
      out[from] = {...out[from], [f.name]: into[f.name]};
    }
  }
  if (answer.note.trim()) out.note = answer.note.trim();
  return out;
}

// standing are the labels of one annotator that stand, by item: taking one back brings the one
// before it back.
export function standing(labels) {
  const stacks = new Map();
  for (const l of labels) {
    const stack = stacks.get(l.item) || [];
    if (!l.undo) stack.push(l);
    else stack.pop();
    stacks.set(l.item, stack);
  }
  return new Map([...stacks].filter(([, s]) => s.length > 0).map(([item, s]) => [item, s.at(-1)]));
}

// last is the annotator's last label that stands; null where none does.
export function last(labels) {
  const up = new Set(standing(labels).values());
  return labels.findLast((l) => up.has(l)) || null;
}

// differ says whether answers say different things, marks and notes aside.
export function differ(sheet, answers) {
  const words = (a, f) => JSON.stringify([...(a.fields?.[f.name] || [])].sort());
  return sheet.task.fields.some((f) => f.kind !== 'place' && f.kind !== 'unit' && answers.some((a) => words(a, f) !== words(answers[0], f)));
}

// inWords is an answer in words, field by field.
export function inWords(sheet, item, answer) {
  if (answer.unsure) return 'could not tell';
  const parts = [];
  for (const f of sheet.task.fields) {
    const options = item ? optionsOf(sheet, item, f) : f.options || [];
    const titles = (answer.fields?.[f.name] || []).map((v) => (f.kind === 'unit' ? `part ${v}` : options.find((o) => o.value === v)?.title || v));
    const quotes = (answer.spans?.[f.name] || []).map((s) => `“${s.quote}”`);
    if (titles.length + quotes.length) parts.push([...titles, ...quotes].join(', '));
  }
  return parts.join(' · ') || 'nothing of it';
}

// pointsBefore is how many code points stand before a place in a text that browsers count in
// their own units; unitsBefore is the way back.
export function pointsBefore(text, units) { return [...text.slice(0, units)].length; }

// unitsBefore is where so many code points end.
export function unitsBefore(text, points) {
  let at = 0;
  for (let n = 0; n < points && at < text.length; n++) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}
