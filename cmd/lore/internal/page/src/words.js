// Numbers and counts in words.

// number shows a figure with one decimal; a dash where there is none.
export function number(v, digits = 1) {
  return v === null || v === undefined || Number.isNaN(v) ? '–' : v.toFixed(digits).replace('-', '−');
}

// signed shows a difference.
export function signed(v) { return v > 0 ? '+' + number(v) : number(v); }

// interval shows a figure with its interval.
export function interval(f) {
  if (!f || f.v === null) return '–';
  return f.lo === undefined || f.lo === null ? number(f.v) : `${number(f.v)} [${number(f.lo)}, ${number(f.hi)}]`;
}

// described says a figure in full, for who hears it or points at it.
export function described(f, metric) {
  if (!f || f.v === null) return `${metric.title}: no value`;
  let text = `${metric.title} ${number(f.v)}`;
  if (f.lo !== undefined) text += `, 95 % interval ${number(f.lo)} to ${number(f.hi)}`;
  text += `, ${counted(f.n, 'value')}`;
  if (f.missing) text += `, ${f.missing} missing`;
  if (f.worst !== undefined) text += ` (from ${number(f.worst)} to ${number(f.best)} if these were worst or best)`;
  return text;
}

// counted is a number with its noun.
export function counted(n, noun) { return n === 1 ? `1 ${noun}` : `${n.toLocaleString('en')} ${noun}s`; }

// pValue words a p-value, which is corrected over the pairs of a metric.
export function pValue(p) {
  if (p === null || p === undefined) return 'corrected p unknown';
  return p < 0.001 ? 'corrected p < 0.001' : 'corrected p ' + p.toFixed(3);
}

// short cuts a text to one line of n characters.
export function short(text, n) {
  const line = text.slice(0, 4 * n).replace(/\s+/g, ' ').trim();
  return line.length <= n && text.length <= 4 * n ? line : [...line].slice(0, n - 1).join('') + '…';
}
