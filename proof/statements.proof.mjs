/*
 * All statements of lua -O0 and redis-server -O2 patched at once: which share takes a jump, what share of the lines that run
 * that is, whether counts are gcov's, and whether the program's tests go as before. Arguments choose: `lua`, `redis`, `redisTests`.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../bench/support/record.mjs';
import { recordedRows, recordRows } from './support/record.mjs';
import { fetched } from './support/registrySources.mjs';
import { sourcesIn, vendoredFolder } from './support/vendored.mjs';

const quietly = { stdio: ['ignore', 'ignore', 'ignore'] };
const folder = vendoredFolder('statements');

/** The sources of a release, once. */
function sources(release) {
  const kept = join(folder, release.name);
  if (existsSync(kept)) return kept;
  mkdirSync(folder, { recursive: true });
  cpSync(fetched({ registry: 'Debian', ...release }), kept, { recursive: true });
  return kept;
}

/** Two programs: as it is, and one that counts its lines. */
function buildLua() {
  const from = join(
    sources({
      name: 'lua5.4',
      version: '5.4.4-3+deb12u1',
      sha256: '164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61',
    }),
    'src',
  );
  const files = sourcesIn(from).filter((path) => basename(path) !== 'luac.c');
  // The same hashes in every run.
  const flags = ['-g', '-O0', '-w', '-DLUA_USE_POSIX', '-Dluai_makeseed(L)=0'];
  const build = (name, more) => {
    const program = join(folder, name);
    if (!existsSync(program)) {
      execFileSync('gcc', [...flags, ...more, ...files, '-lm', '-o', program], quietly);
    }
    return program;
  };
  return { from, plain: build('lua', []), counting: build('luaCounting', ['--coverage']) };
}

const redisVersion = {
  name: 'redis',
  version: '5:7.0.15-1~deb12u7',
  sha256: '4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982',
};

/** Builds in a copy of its sources, and gives the server. */
function redisIn(source, made, more) {
  if (!existsSync(source))
    cpSync(fetched({ registry: 'Debian', ...redisVersion }), source, { recursive: true });
  const program = join(source, 'src', 'redis-server');
  const make = ['-C', join(source, 'src'), 'MALLOC=libc', '-j2', ...more];
  if (!existsSync(program)) execFileSync('make', [...make, ...made], quietly);
  chmodSync(program, 0o755);
  return program;
}

/** As it is, and one that counts its lines. */
function buildRedis() {
  const from = sources(redisVersion);
  const made = ['redis-server', 'redis-cli', 'redis-benchmark'];
  const flags = ['REDIS_CFLAGS=--coverage', 'REDIS_LDFLAGS=--coverage'];
  const optimised = 'OPTIMIZATION=-O2';
  return {
    from,
    program: redisIn(from, made, [optimised]),
    counting: redisIn(join(folder, 'redisCounting'), made, [optimised, ...flags]),
  };
}

/** With its unit tests inside; it counts its lines, writes a line and waits for a byte before `main`, while its statements are patched. */
function buildRedisTests() {
  const held = join(folder, 'held.o');
  mkdirSync(folder, { recursive: true });
  execFileSync('gcc', ['-c', '-x', 'c', '-', '-o', held], {
    input:
      '#include <unistd.h>\n__attribute__((constructor)) static void held(void) { char byte = 10; if (write(1, &byte, 1) < 0 || read(0, &byte, 1) < 0) _exit(1); }\n',
  });
  return redisIn(
    join(folder, 'redisTests'),
    ['redis-server'],
    [
      'OPTIMIZATION=-O2',
      'REDIS_CFLAGS=--coverage -DREDIS_TEST',
      `REDIS_LDFLAGS=--coverage ${held}`,
    ],
  );
}

/** What proof/tests/statements.test.ts saw; null: it failed. */
function run(asked) {
  const told = join(mkdtempSync(join(tmpdir(), 'statements-')), 'told.json');
  const words = ['run', '--config', 'proof/vitest.config.ts', 'proof/tests/statements.test.ts'];
  const { status } = spawnSync(
    // Tables of addresses are in the same order in each run.
    'setarch',
    ['-R', process.execPath, join(root, 'node_modules/vitest/vitest.mjs'), ...words],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, PROGRAM: JSON.stringify(asked), TOLD: told },
    },
  );
  const seen = existsSync(told) ? JSON.parse(readFileSync(told, 'utf8')) : null;
  rmSync(join(told, '..'), { recursive: true, force: true });
  return seen && { ...seen, isGood: status === 0 };
}

/** By file and line, from gcov's own files of one run, which it leaves in a folder. */
async function gcovCounts(where, begin, runCounting) {
  const seen = () =>
    readdirSync(where)
      .filter((name) => name.startsWith(begin) && name.endsWith('.gcda'))
      .map((name) => join(where, name));
  for (const file of seen()) rmSync(file);
  await runCounting();
  const counts = new Map();
  for (const file of seen()) {
    const text = execFileSync('gcov', ['-t', file], {
      cwd: where,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let source = '';
    for (const row of text.split('\n')) {
      const of = /^ *-: *0:Source:(.*)$/.exec(row);
      if (of) source = basename(of[1]);
      const [, count, line] = /^ *(\d+|#####)\*?: *(\d+):/.exec(row) ?? [];
      const key = `${source}:${line}`;
      const times = count === '#####' ? 0 : Number(count);
      if (count) counts.set(key, times + (counts.get(key) ?? 0));
    }
  }
  return counts;
}

/** Of lines with one statement: counts by breakpoints, null where there is none. */
function single(rows) {
  const lines = new Map();
  for (const [file, line, , count] of rows) {
    const key = `${basename(file ?? '')}:${line}`;
    lines.set(key, lines.has(key) ? undefined : count);
  }
  return new Map([...lines].filter(([, count]) => count !== undefined));
}

/** What a run adds to one that does nothing. */
const added = (of, to) => (key) => (to.get(key) ?? 0) - (of.get(key) ?? 0);

const percent = (part, whole) => `${((100 * part) / whole).toFixed(2)} %`;

/** What breakpoints count in a program beside what it counts itself in the same run; null: it failed. */
async function luaCounts({ counting }, asked) {
  let seen = null;
  const gcov = await gcovCounts(folder, basename(counting), () => {
    seen = run({ ...asked, program: counting, counts: true });
  });
  return seen && { seen, ours: single(seen.rows), gcov };
}

/** Of the lines with one statement by jump those that differ, and all; a run that does nothing is taken away. */
function compared(idle, full) {
  const [counted, wanted] = [added(idle.ours, full.ours), added(idle.gcov, full.gcov)];
  const isCounted = (of, key) => of.get(key) !== null;
  // Of some ends of functions gcov has no count.
  const keys = [...full.ours.keys()].filter(
    (key) => full.gcov.has(key) && isCounted(full.ours, key) && isCounted(idle.ours, key),
  );
  const others = keys.filter((key) => counted(key) !== wanted(key));
  console.log(others.map((key) => `${key} ${counted(key)} for ${wanted(key)}`).join('\n'));
  return `${keys.length - others.length} of ${keys.length}`;
}

async function proveLua() {
  const programs = buildLua();
  const input = `math.randomseed(1) dofile(${JSON.stringify(join(root, 'proof/targets/suite.lua'))})`;
  const asked = { args: ['-i'], files: '\\.[ch]$', input };
  const all = run({ ...asked, program: programs.plain });
  const [idle, full] = [
    await luaCounts(programs, { ...asked, input: '' }),
    await luaCounts(programs, asked),
  ];
  if (!all || !idle || !full) return null;
  return {
    program: 'lua -O0',
    statements: all.statements,
    'by jump': percent(all.jumps, all.statements),
    'line events by jump': shareByJump(all.rows, full.gcov),
    'lines counted as by gcov': compared(idle, full),
    tests: [all, full.seen].every((one) => one.isGood) ? 'output and status as before' : 'FAILED',
    'ms to patch': all.ms,
  };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const redisFiles = 'redis[A-Za-z]*/src/[^/]*\\.[ch]$|^[^/]*\\.[ch]$';

const suites = ['type/hash', 'type/incr', 'type/zset', 'type/stream', 'sort', 'expire'];

/** Some of its own tests, on a server that listens there. */
const redisTests = (from, port) => ({
  command: 'tclsh',
  args: [
    'tests/test_helper.tcl',
    '--host',
    '127.0.0.1',
    '--port',
    port,
    '--clients',
    '1',
    '--tags',
    '-slow -needs:debug -needs:repl',
    ...suites.flatMap((name) => ['--single', `unit/${name}`]),
  ],
  cwd: from,
});

const redisArguments = (port, work, log) =>
  `--port ${port} --bind 127.0.0.1 --dir ${work} ${log} --enable-debug-command yes --save`
    .split(' ')
    .concat('');

/** It says when it runs, and little more. */
const saysLittle = '--loglevel warning';

/** How often each line runs in its tests. */
async function redisCounts({ from, counting }) {
  const [port, work] = [String(await freePort()), mkdtempSync(join(tmpdir(), 'statements-redis-'))];
  const counts = await gcovCounts(join(counting, '..'), '', async () => {
    const server = spawn(counting, redisArguments(port, work, `--logfile ${join(work, 'log')}`), {
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    const { command, args, cwd } = redisTests(from, port);
    while (!existsSync(join(work, 'log')) || !/Ready/.test(readFileSync(join(work, 'log'), 'utf8')))
      await new Promise((resolve) => setTimeout(resolve, 50));
    spawnSync(command, args, { cwd, stdio: 'ignore' });
    server.kill();
    await ended;
  });
  rmSync(work, { recursive: true, force: true });
  return counts;
}

/** The share of what gcov counts at lines whose statements take jumps; of a line of several, the share of those. */
function shareByJump(rows, counts) {
  const lines = new Map();
  for (const [file, line, , count] of rows) {
    const key = `${basename(file ?? '')}:${line}`;
    const { all, jumps } = lines.get(key) ?? { all: 0, jumps: 0 };
    lines.set(key, { all: all + 1, jumps: jumps + (count === null ? 0 : 1) });
  }
  let [events, byJump] = [0, 0];
  for (const [key, { all, jumps }] of lines) {
    const times = counts.get(key) ?? 0;
    events += times;
    byJump += (times * jumps) / all;
  }
  return percent(byJump, events);
}

async function proveRedis() {
  const programs = buildRedis();
  const { from, program } = programs;
  const port = String(await freePort());
  const work = mkdtempSync(join(tmpdir(), 'statements-redis-'));
  const seen = run({
    program,
    args: redisArguments(port, work, saysLittle),
    files: redisFiles,
    input: '',
    work: redisTests(from, port),
  });
  rmSync(work, { recursive: true, force: true });
  if (!seen) return null;
  return {
    program: 'redis-server -O2',
    statements: seen.statements,
    'by jump': percent(seen.jumps, seen.statements),
    'line events by jump': shareByJump(seen.rows, await redisCounts(programs)),
    // The server's clock runs meanwhile: its unit tests are compared.
    'lines counted as by gcov': '',
    tests: seen.isGood ? 'its own pass' : 'FAILED',
    'ms to patch': seen.ms,
  };
}

async function proveRedisTests() {
  const program = buildRedisTests();
  const asked = { program, args: ['test', 'all'], files: redisFiles, input: '\n', counts: true };
  let seen = null;
  const gcov = await gcovCounts(join(program, '..'), '', () => {
    seen = run(asked);
  });
  if (!seen) return null;
  const nothing = { ours: new Map(), gcov: new Map() };
  return {
    program: 'redis -O2, its unit tests',
    statements: seen.statements,
    'by jump': percent(seen.jumps, seen.statements),
    'line events by jump': shareByJump(seen.rows, gcov),
    'lines counted as by gcov': compared(nothing, { ours: single(seen.rows), gcov }),
    tests: seen.isGood ? 'its own pass' : 'FAILED',
    'ms to patch': seen.ms,
  };
}

const provers = { lua: proveLua, redis: proveRedis, redisTests: proveRedisTests };
const chosen = process.argv.slice(2).filter((word) => word in provers);
for (const name of chosen.length > 0 ? chosen : Object.keys(provers)) {
  const row = await provers[name]();
  if (row === null || row.tests === 'FAILED') process.exitCode = 1;
  if (row === null) continue;
  const rows = [
    ...recordedRows('statements').filter(({ program }) => program !== row.program),
    row,
  ];
  const verdict = `every statement patched at once: ${rows.map((one) => `${one.program} ${one['by jump']} by jump`).join(', ')}`;
  recordRows('statements', verdict, rows);
  console.log(row);
}
