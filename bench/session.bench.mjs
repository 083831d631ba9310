/* What a typical session of 15 calls costs a model: tokens of each answer's text, and the share of header and next steps. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { buildProgram } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

/** The question of a wrong total, as a coding agent pursues it; `id` names the sessions so far. */
const steps = [
  [
    'launch',
    ({ shop, project }) => ['debug_launch', { command: shop, args: ['bad'], projectRoot: project }],
  ],
  ['wait for the exit', () => ['debug_session', { action: 'wait', for: ['exit'] }]],
  ['output', () => ['debug_query', { view: 'output' }]],
  [
    'launch traced',
    ({ shop, project }) => [
      'debug_launch',
      { command: shop, args: ['bad'], projectRoot: project, patterns: ['shop::**'] },
    ],
  ],
  ['wait for the exit', () => ['debug_session', { action: 'wait', for: ['exit'] }]],
  ['tree', () => ['debug_query', { view: 'tree' }]],
  ['events', () => ['debug_query', { view: 'events', returnValue: { lt: 0 } }]],
  ['tree of a function', () => ['debug_query', { view: 'tree', root: 'shop::checkout' }]],
  ['stats', () => ['debug_query', { view: 'stats' }]],
  [
    'SQL',
    () => [
      'debug_query',
      { view: 'sql', sql: 'SELECT function_name, count(*) FROM calls GROUP BY 1 ORDER BY 2 DESC' },
    ],
  ],
  ['status', () => ['debug_session', { action: 'status' }]],
  [
    'launch of the good case',
    ({ shop, project }) => [
      'debug_launch',
      { command: shop, args: ['good'], projectRoot: project, patterns: ['shop::Cart::total'] },
    ],
  ],
  ['wait for the exit', () => ['debug_session', { action: 'wait', for: ['exit'] }]],
  [
    'events of a function',
    () => ['debug_query', { view: 'events', function: { contains: 'total' }, limit: 10 }],
  ],
  ['diff', ({ ids }) => ['debug_query', { view: 'diff', other: { sessionId: ids[1] } }]],
];

/** Tokens of an answer's text, and of its header and its next steps. */
function costs(text) {
  const lines = text.split('\n');
  const next = lines.indexOf('next:');
  const isFigures = /^(?:events: seen|LOST |\d.* counted, not recorded)/.test(lines[1] ?? '');
  const frame = [...lines.slice(0, isFigures ? 2 : 1), ...(next < 0 ? [] : lines.slice(next))].join(
    '\n',
  );
  return { all: countTokens(text), frame: countTokens(frame) };
}

const home = openHome();
try {
  const shop = buildProgram('shop', ['bench/targets/shop.cpp'], ['-O0']);
  const project = join(root, 'bench', 'targets');
  const product = await Product.start(home);
  const ids = [];
  const rows = [];
  const texts = [];
  for (const [what, ask] of steps) {
    const [tool, args] = ask({ shop, project, ids });
    const { text, sessionId } = await product.call(tool, args);
    if (tool === 'debug_launch') ids.push(sessionId);
    texts.push(`### ${tool} ${JSON.stringify(args)}\n${text}`);
    rows.push({ what, ...costs(text) });
  }
  await product.close();
  if (process.env.SESSION_TEXTS) writeFileSync(process.env.SESSION_TEXTS, texts.join('\n\n'));
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  record('session', 'A session of 15 calls', [
    { what: 'all answers', value: sum('all'), unit: 'tokens', note: `${rows.length} calls, o200k` },
    { what: 'median answer', value: median(rows.map(({ all }) => all)), unit: 'tokens' },
    {
      what: 'header and next steps',
      value: (100 * sum('frame')) / sum('all'),
      unit: '%',
      limit: '≤ 15 %',
    },
    ...rows.map(({ what, all, frame }, at) => ({
      what: `${at + 1}. ${String(what)}`,
      value: all,
      unit: 'tokens',
      note: `${frame} of them header and next steps`,
    })),
  ]);
} finally {
  home.close();
}
