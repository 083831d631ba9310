/* First answer of `strobe mcp` beside a bare Node, with and without a daemon; size of the tool list. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { median, quantile } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = 15;
const hello = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
})}\n`;

function bareNode() {
  const started = performance.now();
  spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  return performance.now() - started;
}

function firstAnswer(home) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(join(root, 'strobe'), ['mcp'], {
      env: home.env,
      cwd: home.project,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let answered = null;
    child.stdout.once('data', () => {
      answered = performance.now() - started;
      child.stdin.end();
    });
    child.once('error', reject);
    child.once('exit', () =>
      answered === null
        ? reject(new Error('strobe mcp ended without an answer'))
        : resolve(answered),
    );
    child.stdin.write(hello);
  });
}

const home = openHome();
try {
  const bare = [];
  const warm = [];
  const cold = [];
  for (let round = 0; round < rounds; round++) {
    home.stopDaemon();
    cold.push(await firstAnswer(home));
    bare.push(bareNode());
    warm.push(await firstAnswer(home));
  }
  const product = await Product.start(home);
  const { tools } = await product.request('tools/list', {});
  await product.close();
  record('firstAnswer', 'First answer of the proxy', [
    {
      what: '`node -e 0`, start to end',
      value: median(bare),
      unit: 'ms',
      note: `p95 ${quantile(bare, 0.95).toFixed(0)} ms, ${rounds} rounds`,
    },
    {
      what: 'first answer, no daemon',
      value: median(cold),
      unit: 'ms',
      note: `p95 ${quantile(cold, 0.95).toFixed(0)} ms`,
    },
    {
      what: 'first answer, daemon running',
      value: median(warm),
      unit: 'ms',
      note: `p95 ${quantile(warm, 0.95).toFixed(0)} ms`,
    },
    {
      what: 'first answer, in bare starts of Node',
      value: median(cold) / median(bare),
      unit: '×',
      limit: '≤ 1.3 ×',
    },
    {
      what: '`tools/list`',
      value: countTokens(JSON.stringify(tools.map(({ outputSchema: _schema, ...tool }) => tool))),
      unit: 'tokens',
      note: `${tools.length} tools, o200k`,
    },
    {
      what: '`tools/list` of `strobe mcp --structured`',
      value: countTokens(JSON.stringify(tools)),
      unit: 'tokens',
      note: 'with output schemas',
    },
  ]);
} finally {
  home.close();
}
