// Writes embed/testdata/golden.json: token ids by Hugging Face's tokenizers and
// vectors by onnxruntime for the test models, one text at a time, without padding.
//
//   make golden-embed
//
// needs Node.js and the npm packages onnxruntime-node and tokenizers; the tests
// only read the file.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [models, out] = process.argv.slice(2);
const require = createRequire(join(process.cwd(), 'package.json'));
const ort = require('onnxruntime-node');
const { Tokenizer } = require('tokenizers');
const version = name => require(name + '/package.json').version;
const maxTokens = 64;

const long = 'The engineer said that sand holds for a season and the wall for a hundred years. '.repeat(12);
const texts = [
  'The harbour board met on Tuesday.',
  'sea wall',
  '',
  '   \t\n ',
  'Café résumé naïve Ångström ÉCOLE',
  'straße Øresund π 中文 字',
  'İstanbul ﬁne x² Ⅳ e\u0301',
  'control \u0001\u0002 characters \u0000 and \ufffd',
  'Mixed: 3.5 million (or more?) "quoted" [text] it\'s',
  'A separator [SEP] and </s> in the text, [MASK] too',
  'emoji 🌊🌊 and a\u200dzero width joiner',
  'supercalifragilisticexpialidocious',
  long,
];
const pairs = [
  ['who pays for the wall', 'The council has set aside four million for repairs.'],
  ['who pays for the wall', 'Residents want the road closed.'],
  ['who pays for the wall', ''],
  ['who pays for the wall', long],
  ['Café [SEP] x', 'a text with [SEP] inside'],
];

// Random texts for the tokenisers alone: words, signs and letters of many scripts.
let state = 20261121;
const random = n => { state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff; return (state >>> 8) % n; };
const bits = ['wall', 'Harbour', ' sea', '  ', '\n', '\t', "don't", "we'll", '3.5', '2026', ',', '...', '(x)', '"q"', 'é', 'Ü', 'ñ', 'ß', 'ø', 'I\u0307', '中', '文字', 'か', '한국',
  'Ж', 'ω', '\u00a0', '\u3000', '\u200b', '\u200d', '\ufeff', '\u00ad', 'e\u0301', '½', '²', '—', '“a”', '€', '🌊', '👩\u200d🚒', '\u0007', '_', '#', '@x', '$5', '[MASK]', '</s>', 'ABC', 'ﬁ', 'ǅ', 'עם', 'عرب', 'हि'];
const fuzz = Array.from({ length: 400 }, () => Array.from({ length: 1 + random(12) }, () => bits[random(bits.length)] + (random(3) ? ' ' : '')).join(''));

const round = v => Number(v.toPrecision(9));
const result = { made_with: `onnxruntime-node ${version('onnxruntime-node')}, tokenizers ${version('tokenizers')}`, max_tokens: maxTokens, models: {} };

async function run(session, enc) {
  const ids = enc.getIds(), n = ids.length;
  const tensor = a => new ort.Tensor('int64', BigInt64Array.from(a, BigInt), [1, n]);
  const all = { input_ids: tensor(ids), attention_mask: tensor(enc.getAttentionMask()), token_type_ids: tensor(enc.getTypeIds()) };
  const feeds = Object.fromEntries(session.inputNames.map(k => [k, all[k]]));
  return (await session.run(feeds))[session.outputNames[0]];
}

function pool(t, how, normalise) {
  const [, n, d] = t.dims;
  const row = i => Array.from(t.data.slice(i * d, (i + 1) * d));
  let v = how === 'cls' ? row(0) : row(n - 1);
  if (how === 'mean') {
    v = new Array(d).fill(0);
    for (let i = 0; i < n; i++) row(i).forEach((x, j) => { v[j] += x / n; });
  }
  if (normalise) {
    const norm = Math.hypot(...v);
    v = v.map(x => x / norm);
  }
  return v.map(round);
}

const poolings = { bert: ['mean', true], last: ['last', false], roberta: ['cls', true] };
for (const kind of ['bert', 'roberta', 'last', 'cross-bert', 'cross-roberta', 'xlmr']) {
  const dir = join(models, kind);
  if (!existsSync(dir)) throw new Error(`${dir} is missing: make the models first`);
  const tk = Tokenizer.fromFile(join(dir, 'tokenizer.json'));
  const session = await ort.InferenceSession.create(join(dir, 'model.onnx'));
  const hash = createHash('sha256').update(readFileSync(join(dir, 'model.onnx'))).digest('hex');
  const m = result.models[kind] = { sha256: hash, texts: [], pairs: [] };
  const ids = async () => Promise.all(fuzz.map(async text => ({ text, ids: Array.from((await tk.encode(text)).getIds()).join(' ') })));
  if (kind === 'xlmr') {
    m.fuzz = await ids();
  } else if (poolings[kind]) {
    tk.setTruncation(maxTokens);
    for (const text of texts) {
      const enc = await tk.encode(text);
      m.texts.push({ text, ids: Array.from(enc.getIds()), vector: pool(await run(session, enc), ...poolings[kind]) });
    }
    tk.disableTruncation();
    if (kind !== 'last') m.fuzz = await ids();
  } else {
    tk.setTruncation(maxTokens, { strategy: 'OnlySecond' });
    for (const [query, passage] of pairs) {
      const enc = await tk.encode(query, passage);
      const logits = await run(session, enc);
      m.pairs.push({ query, passage, ids: Array.from(enc.getIds()), types: Array.from(enc.getTypeIds()), logit: round(logits.data[0]) });
    }
  }
}
// BERTScore of two pairs by the encoders, special tokens left out, no idf.
const scored = [
  ['The harbour board met on Tuesday.', 'On Tuesday the board of the harbour met.'],
  ['Sand holds for a season.', 'The wall had lost a third of its stone, the engineer said.'],
];
result.bertscore = [];
for (const kind of ['bert', 'roberta']) {
  const tk = Tokenizer.fromFile(join(models, kind, 'tokenizer.json'));
  const session = await ort.InferenceSession.create(join(models, kind, 'model.onnx'));
  const vectors = async text => {
    const t = await run(session, await tk.encode(text));
    const [, n, d] = t.dims;
    return Array.from({ length: n - 2 }, (_, i) => {
      const row = Array.from(t.data.slice((i + 1) * d, (i + 2) * d));
      const norm = Math.hypot(...row);
      return row.map(x => x / norm);
    });
  };
  for (const [candidate, reference] of scored) {
    const c = await vectors(candidate), r = await vectors(reference);
    const best = (a, b) => a.map(x => Math.max(...b.map(y => x.reduce((s, v, k) => s + v * y[k], 0)))).reduce((s, v) => s + v, 0) / a.length;
    const p = best(c, r), q = best(r, c);
    result.bertscore.push({ kind, candidate, reference, p: round(p), r: round(q), f: round(2 * p * q / (p + q)) });
  }
}
writeFileSync(out, JSON.stringify(result, null, 1) + '\n');
