// Writes embed/testdata/golden-sparse.json: weights of terms that SPLADE's pooling gives, from onnxruntime's logits of
// the test model, one text at a time, without padding. Term numbers and weights stand in one list.
//
//   make golden-embed
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [models, out] = process.argv.slice(2);
const require = createRequire(join(process.cwd(), 'package.json'));
const ort = require('onnxruntime-node');
const { Tokenizer } = require('tokenizers');
const version = name => require(name + '/package.json').version;
const maxTokens = 64;
const texts = [
  'The harbour board met on Tuesday.',
  'sea wall',
  '',
  'Café résumé naïve Ångström ÉCOLE',
  'A separator [SEP] and </s> in the text, [MASK] too',
  'Members asked what a temporary bank of sand would do for the fishing boats.',
  'The engineer said that sand holds for a season and the wall for a hundred years. '.repeat(12),
];
const activations = {
  relu: x => Math.log(1 + Math.max(0, x)),
  log1p_relu: x => Math.log(1 + Math.log(1 + Math.max(0, x))),
};

const dir = join(models, 'splade');
const tk = Tokenizer.fromFile(join(dir, 'tokenizer.json'));
tk.setTruncation(maxTokens);
const session = await ort.InferenceSession.create(join(dir, 'model.onnx'));
const result = {
  made_with: `onnxruntime-node ${version('onnxruntime-node')}, tokenizers ${version('tokenizers')}`,
  sha256: createHash('sha256').update(readFileSync(join(dir, 'model.onnx'))).digest('hex'),
  texts: [],
};
for (const text of texts) {
  const enc = await tk.encode(text);
  const n = enc.getIds().length;
  const tensor = a => new ort.Tensor('int64', BigInt64Array.from(a, BigInt), [1, n]);
  const feeds = { input_ids: tensor(enc.getIds()), attention_mask: tensor(enc.getAttentionMask()), token_type_ids: tensor(enc.getTypeIds()) };
  const logits = (await session.run(feeds)).logits;
  const vocab = logits.dims[2];
  const one = { text, tokens: n, weights: {} };
  for (const [name, activate] of Object.entries(activations)) {
    for (const pooling of ['max', 'sum']) {
      const list = [];
      for (let t = 0; t < vocab; t++) {
        let w = 0;
        for (let i = 0; i < n; i++) {
          const x = activate(logits.data[i * vocab + t]);
          w = pooling === 'max' ? Math.max(w, x) : w + x;
        }
        if (w > 0) list.push(t, Number(w.toPrecision(9)));
      }
      one.weights[`${pooling} ${name}`] = list;
    }
  }
  result.texts.push(one);
}
writeFileSync(out, JSON.stringify(result) + '\n');
