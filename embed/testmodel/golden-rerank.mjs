// Writes embed/testdata/golden-rerank.json: token ids by Hugging Face's tokenizers and scores
// by onnxruntime for the rerankers, one pair at a time, without padding.
//
//   make golden-embed
//
// needs Node.js and the npm packages onnxruntime-node and tokenizers; the tests only read the
// file.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [models, out] = process.argv.slice(2);
const require = createRequire(join(process.cwd(), 'package.json'));
const ort = require('onnxruntime-node');
const { Tokenizer } = require('tokenizers');
const version = name => require(name + '/package.json').version;
const round = v => Number(v.toPrecision(9));
const int64 = (a, shape) => new ort.Tensor('int64', BigInt64Array.from(a, BigInt), shape);

const pairs = [
  ['who pays for the wall', 'The council has set aside four million for repairs.'],
  ['who pays for the wall', 'Residents want the road closed.'],
  ['who pays for the wall', ''],
  ['Café e\u0301t\u00e9 ①½', 'ﬁshing\u00a0boats\u3000and\u200bsand … Ⅳ ǅ 中文'],
];
// Of a long passage, the ids of what lore shows: the words around it stay, its end is cut.
const long = 'The engineer said that sand holds for a season and the wall for a hundred years. '.repeat(4).trim();

let state = 20261122;
const random = n => { state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff; return (state >>> 8) % n; };
const bits = ['sand', 'Sand', 'wall', ' harbour', 'Boats', 'holds', 'XYZ', 'Tuesday', '3.5', ',', '...', '…', '(x)', 'é', 'e\u0301', 'a\u0301', 'ß', '①', '½', '²', 'Ａ', 'Ⅳ', 'ǅ', '中', '文字',
  'か', '한국', 'ω', '\u00a0', '\u3000', '\u200b', '\u00ad', '\ufeff', '▁', '🌊', '👩\u200d🚒', 'ﬁ', '  ', '\n', '\t', '\u0007', 'true', 'Query:', '</s>', '<unk>', 'हि', "don't"];
const fuzz = Array.from({ length: 300 }, () => Array.from({ length: 1 + random(10) }, () => bits[random(bits.length)] + (random(3) ? ' ' : '')).join(''));

const sha = path => createHash('sha256').update(readFileSync(path)).digest('hex');
const result = { made_with: `onnxruntime-node ${version('onnxruntime-node')}, tokenizers ${version('tokenizers')}`, models: {} };

for (const [kind, relevant] of [['mono-t5', ['▁true', '▁false']], ['mono-mt5', ['▁yes', '▁no']]]) {
  const dir = join(models, kind);
  const tk = Tokenizer.fromFile(join(dir, 'tokenizer.json'));
  const encoder = await ort.InferenceSession.create(join(dir, 'encoder_model.onnx'));
  const decoder = await ort.InferenceSession.create(join(dir, 'decoder_model.onnx'));
  const m = result.models[kind] = { files: { 'encoder_model.onnx': sha(join(dir, 'encoder_model.onnx')), 'decoder_model.onnx': sha(join(dir, 'decoder_model.onnx')) }, pairs: [], fuzz: [] };
  const words = async text => Array.from((await tk.encode(text)).getIds()).slice(0, -1);
  const score = async (query, passage, ids, cut) => {
    const shape = [1, ids.length], mask = int64(ids.map(() => 1), shape);
    const states = (await encoder.run({ input_ids: int64(ids, shape), attention_mask: mask })).last_hidden_state;
    const { logits } = await decoder.run({ input_ids: int64([0], [1, 1]), encoder_hidden_states: states, encoder_attention_mask: mask });
    const [yes, no] = relevant.map(t => Math.exp(logits.data[tk.tokenToId(t)]));
    m.pairs.push({ query, passage, ids, cut, score: round(Math.log(yes / (yes + no))) });
  };
  for (const [query, passage] of pairs) await score(query, passage, Array.from((await tk.encode(`Query: ${query} Document: ${passage} Relevant:`)).getIds()), false);

  const [q, p] = pairs[0];
  const before = await words(`Query: ${q} Document:`), after = await words('Relevant:'), all = await words(long);
  await score(q, long, [...before, ...all.slice(0, 63 - before.length - after.length), ...after, 1], true);
  for (const text of fuzz) m.fuzz.push({ text, ids: Array.from((await tk.encode(text)).getIds()).join(' ') });
}

for (const kind of ['cross-xlmr', 'cross-modern', 'cross-two']) {
  const dir = join(models, kind);
  const tk = Tokenizer.fromFile(join(dir, 'tokenizer.json'));
  const session = await ort.InferenceSession.create(join(dir, 'model.onnx'));
  const m = result.models[kind] = { files: { 'model.onnx': sha(join(dir, 'model.onnx')) }, pairs: [], fuzz: [] };
  tk.setTruncation(64, { strategy: 'OnlySecond' });
  for (const [query, passage] of [...pairs, [pairs[0][0], long]]) {
    const enc = await tk.encode(query, passage), ids = Array.from(enc.getIds()), shape = [1, ids.length];
    const feeds = { input_ids: int64(ids, shape), attention_mask: int64(ids.map(() => 1), shape), token_type_ids: int64(enc.getTypeIds(), shape) };
    const logits = (await session.run(Object.fromEntries(session.inputNames.map(k => [k, feeds[k]])))).logits.data;
    m.pairs.push({ query, passage, ids, cut: ids.length === 64, score: round(logits.length === 2 ? logits[1] - logits[0] : logits[0]) });
  }
  tk.disableTruncation();
  for (const text of fuzz) m.fuzz.push({ text, ids: Array.from((await tk.encode(text)).getIds()).join(' ') });
}
// Late interaction: the marker in place of a full stop before the text, as ColBERT's own code puts
// it; queries filled up by masks; passages without punctuation.
const late = {
  colbert: { marks: ['[unused0]', '[unused1]'], query: 16, passage: 24, attend: false, skip: [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'] },
  'colbert-dense': { marks: ['[Q] ', '[D] '], query: 20, passage: 24, attend: true, skip: ['.', ',', '?'], dense: true },
};
for (const [kind, how] of Object.entries(late)) {
  const dir = join(models, kind);
  const tk = Tokenizer.fromFile(join(dir, 'tokenizer.json'));
  const session = await ort.InferenceSession.create(join(dir, 'model.onnx'));
  const m = result.models[kind] = { files: { 'model.onnx': sha(join(dir, 'model.onnx')) }, pairs: [], fuzz: [] };
  let weights;
  if (how.dense) {
    const bytes = readFileSync(join(dir, '1_Dense/model.safetensors')), size = Number(bytes.readBigUInt64LE(0));
    weights = Array.from({ length: 16 * 32 }, (_, i) => bytes.readFloatLE(8 + size + 4 * i));
  }
  const skip = new Set(how.skip.map(w => tk.tokenToId(w)));
  const vectors = async (text, query) => {
    const most = query ? how.query : how.passage;
    const words = Array.from((await tk.encode(text)).getIds()).slice(1, -1), cut = words.length > most - 3;
    const cls = Array.from((await tk.encode('')).getIds());
    const ids = [cls[0], tk.tokenToId(how.marks[query ? 0 : 1]), ...words.slice(0, most - 3), cls[1]];
    const seen = ids.map(() => 1);
    while (query && ids.length < most) { ids.push(tk.tokenToId('[MASK]')); seen.push(how.attend ? 1 : 0); }
    const shape = [1, ids.length];
    const feeds = { input_ids: int64(ids, shape), attention_mask: int64(seen, shape), token_type_ids: int64(ids.map(() => 0), shape) };
    const t = (await session.run(Object.fromEntries(session.inputNames.map(k => [k, feeds[k]]))))[session.outputNames[0]];
    const [, n, d] = t.dims, out = [];
    for (let i = 0; i < n; i++) {
      if (!query && skip.has(ids[i])) continue;
      let v = Array.from(t.data.slice(i * d, (i + 1) * d));
      if (weights) v = Array.from({ length: 16 }, (_, o) => v.reduce((s, x, k) => s + x * weights[o * 32 + k], 0));
      const norm = Math.hypot(...v);
      out.push(v.map(x => x / norm));
    }
    return { ids, cut, out };
  };
  for (const [query, passage] of [...pairs, [pairs[0][0], long], [long, pairs[0][1]]]) {
    const q = await vectors(query, true), p = await vectors(passage, false);
    const dot = (a, b) => a.reduce((s, x, k) => s + x * b[k], 0);
    const score = q.out.map(a => Math.max(...p.out.map(b => dot(a, b)))).reduce((s, x) => s + x, 0);
    m.pairs.push({ query, passage, ids: [...q.ids, ...p.ids], cut: q.cut || p.cut, score: round(score) });
  }
}
writeFileSync(out, JSON.stringify(result, null, 1) + '\n');
