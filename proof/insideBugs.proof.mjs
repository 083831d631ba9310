/*
 * Two bugs whose cause is between two lines, found by questions inside functions alone: invariants and lines, in at most five
 * calls each. The questions were written down before the first run, by who knows what the structure must be and not
 * where it breaks. The transcript with its tokens is in proof/results/insideBugs.md.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';
import { fetched } from './support/registrySources.mjs';
import { sourcesIn, vendoredFolder } from './support/vendored.mjs';

const mostCalls = 5;

/** A release from Debian with one line as the bug has it, built once. `build`: compiles it, and answers the program. */
function withBug({ name, version, sha256, file, right, wrong }, build) {
  const folder = vendoredFolder('insideBugs');
  const program = join(folder, name);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const from = fetched({ registry: 'Debian', name, version, sha256 });
  const source = join(from, file);
  const text = readFileSync(source, 'utf8');
  if (!text.includes(right)) throw new Error(`${source} has no ${right}`);
  writeFileSync(source, text.replace(right, wrong));
  const kept = join(folder, `${name}-source`);
  rmSync(kept, { recursive: true, force: true });
  cpSync(from, kept, { recursive: true });
  copyFileSync(build(kept), program);
  chmodSync(program, 0o755);
  return program;
}

const quietly = { stdio: ['ignore', 'ignore', 'ignore'] };

/** An update in place beside an equal score. */
const redis = () =>
  withBug(
    {
      name: 'redis',
      version: '5:7.0.15-1~deb12u7',
      sha256: '4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982',
      file: 'src/t_zset.c',
      right: 'x->level[0].forward->score > newscore))',
      wrong: 'x->level[0].forward->score >= newscore))',
    },
    (from) => {
      const make = ['-C', join(from, 'src'), 'redis-server', 'MALLOC=libc', 'OPTIMIZATION=-O2'];
      execFileSync('make', [...make, '-j2'], quietly);
      return join(from, 'src', 'redis-server');
    },
  );

/** A slice of a slice whose offset has 16 bits. */
const jq = () =>
  withBug(
    {
      name: 'jq',
      version: '1.6-2.1+deb12u2',
      sha256: '3ba940b97571c866923f0409678033d33b5a98758dfc174fad8397ed908bc4d9',
      file: 'src/jv.c',
      right: 'if (a.offset + start >= 1 <<',
      wrong: 'if (start >= 1 <<',
    },
    (from) => {
      const source = join(from, 'src');
      const lines = readFileSync(join(source, 'builtin.jq'), 'utf8').trimEnd().split('\n');
      const quoted = lines.map((line) => `${JSON.stringify(`${line}\n`)}\n`);
      writeFileSync(join(source, 'builtin.inc'), quoted.join(''));
      writeFileSync(join(source, 'version.h'), '#define JQ_VERSION "1.6"\n');
      const files = sourcesIn(source).filter((path) => !path.endsWith('inject_errors.c'));
      const has = ['MEMMEM', 'TIMEGM', 'GMTIME_R', 'STRPTIME', 'STRFTIME', 'ISATTY'];
      const flags = ['-g', '-O2', '-w', '-D_GNU_SOURCE', '-DIEEE_8087'];
      const defines = has.map((what) => `-DHAVE_${what}`);
      const program = join(from, 'jq');
      const rest = [`-I${from}`, `-I${source}`, '-lm', '-lpthread', '-o', program];
      execFileSync('gcc', [...flags, ...defines, ...files, ...rest], quietly);
      return program;
    },
  );

/** A board whose players meet at the same score; ends when the server does. */
async function play(socket) {
  let seed = 7;
  const random = (below) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  const player = () => `player:${String(random(300)).padStart(3, '0')}`;
  const lines = [];
  for (let i = 0; i < 300; i++)
    lines.push(`ZADD board ${random(40)} player:${String(i).padStart(3, '0')}`);
  for (let i = 0; i < 2500; i++) lines.push(`ZINCRBY board ${random(3) - 1} ${player()}`);
  const connection = createConnection(socket);
  connection.on('error', () => {});
  await new Promise((resolve) => {
    let answers = 0;
    connection.on('close', resolve);
    connection.on('data', (data) => {
      answers += data.toString().split('\r\n').length;
      if (answers > 2 * lines.length) connection.end();
    });
    connection.write(`${lines.join('\r\n')}\r\nQUIT\r\n`);
  });
}

const inOrder =
  'forall(zsl->header->level[0].forward, it->level[0].forward, ' +
  'it->score < next->score || it->score == next->score && it->ele < next->ele)';

const pages =
  'def pages: if length > $n then .[:$n], (.[$n:] | pages) else . end; ' +
  '[range(200000)] | [pages] | map(.[]) | (unique | length), .[-1]';

const bugs = [
  {
    name: 'jq: pages of an array',
    known:
      'Of 200,000 numbers, cut into pages of 30,000 and joined again, 90,000 are left, and the last is wrong. Slices of an array share it: each begins where the one it is cut from does, and so much later.',
    async ask(say, home) {
      const shares = 'return.offset == a.offset + start || return.u.ptr != a.u.ptr';
      const args = ['-n', '--argjson', 'n', '30000', pages];
      const { sessionId } = await say('debug_launch', {
        command: jq(),
        args,
        projectRoot: home.project,
        patterns: [{ pattern: 'jv_array_slice', invariant: shares, lines: true }],
        waitFor: 'exit',
      });
      const broken = await say('debug_query', { sessionId, eventType: ['logpoint'], limit: 1 });
      const [first] = broken.events;
      await say('debug_query', { sessionId, view: 'tree', root: first.parentEventId, lines: true });
    },
    /** The sum that 16 bits do not hold, and the line that made it. */
    shown: [
      /after jv_array_slice: .* does not hold.*offset=24464.*a\.offset=60000.*start=30000/,
      /×1 +a\.offset \+= start;/,
    ],
  },
  {
    name: 'redis: a rank that is not found',
    known:
      'ZRANK fails an assertion: the skiplist of a sorted set is out of order at some time before.',
    async ask(say, home) {
      const socket = join(home.project, 'redis.sock');
      const args = ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', home.project];
      const patterns = [
        { pattern: 'zslInsert', invariant: inOrder },
        { pattern: 'zslUpdateScore', invariant: inOrder, lines: true },
      ];
      const command = { command: redis(), args, projectRoot: home.project, patterns };
      const { sessionId } = await say('debug_launch', command);
      const ready = { match: 'Ready to accept', timeoutMs: 20_000 };
      await say('debug_session', { action: 'wait', sessionId, for: ['output'], ...ready });
      await play(socket);
      const broken = await say('debug_query', { sessionId, eventType: ['logpoint'], limit: 1 });
      const [first] = broken.events;
      await say('debug_query', { sessionId, view: 'tree', root: first.parentEventId, lines: true });
    },
    /** What the answers must show: who broke the order, and by which line. */
    shown: [
      /after zslUpdateScore: forall/,
      /×1 +x->score = newscore;/,
      / - +zslDeleteNode\(zsl, x, update\)/,
    ],
  },
];

const rows = [];
const transcript = ['# Bugs found by questions inside functions', ''];
for (const bug of bugs) {
  const home = openHome();
  const product = await Product.start(home);
  const texts = [];
  let tokens = 0;
  const say = async (tool, args) => {
    const answer = await product.call(tool, args);
    const asked = `${tool} ${JSON.stringify(args)}`;
    const spent = countTokens(asked) + countTokens(answer.text);
    tokens += spent;
    texts.push(answer.text);
    transcript.push(
      `### ${asked}`,
      '',
      '```',
      answer.text.replaceAll(home.path, '<home>'),
      '```',
      '',
    );
    transcript.push(`${spent} tokens`, '');
    return answer;
  };
  transcript.push(`## ${bug.name}`, '', bug.known, '');
  try {
    await bug.ask(say, home);
  } finally {
    await product.close();
    home.close();
  }
  const isShown = bug.shown.every((wanted) => texts.some((text) => wanted.test(text)));
  const isFound = isShown && texts.length <= mostCalls;
  rows.push({ bug: bug.name, calls: texts.length, tokens, 'cause shown': isFound ? 'yes' : 'NO' });
}
writeFileSync(join(root, 'proof', 'results', 'insideBugs.md'), `${transcript.join('\n')}\n`);
const found = rows.filter((row) => row['cause shown'] === 'yes').length;
recordRows(
  'insideBugs',
  `${found} of ${rows.length} causes shown in at most ${mostCalls} calls`,
  rows,
);
process.exitCode = found === rows.length ? 0 : 1;
