/*
 * All statements of lua -O0 and redis-server -O2 patched at once: which share takes a jump, what share of the lines that run
 * that is, whether counts are gcov's, and whether the program's tests go as before. Where gcov counts a line otherwise, the
 * processor's breakpoint registers count its statement in a run of their own: they must count what the breakpoint did.
 * Arguments choose: `lua`, `redis`, `redisTests`.
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
import { hitsAt } from './support/hardwareHits.mjs';
import { recordedRows, recordRows } from './support/record.mjs';
import { fetched } from './support/registrySources.mjs';
import { sourcesIn, vendoredFolder } from './support/vendored.mjs';

/** A larger environment, so that the stack lies elsewhere and holds something else. */
const moved = { ...process.env, MOVED: 'moved'.repeat(500) };
/** Threads count at once. */
const counted = ['--coverage', '-fprofile-update=atomic'];
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
  return { from, plain: build('lua', []), counting: build('luaCounting', counted) };
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
  const flags = [`REDIS_CFLAGS=${counted.join(' ')}`, 'REDIS_LDFLAGS=--coverage'];
  const optimised = 'OPTIMIZATION=-O2';
  return {
    from,
    program: redisIn(from, made, [optimised]),
    counting: redisIn(join(folder, 'redisCounting'), made, [optimised, ...flags]),
  };
}

/**
 * With its unit tests inside; it counts its lines, writes a line and waits for a byte before `main`, while its statements
 * are patched. Its random numbers are the same in every run.
 */
function buildRedisTests() {
  const held = join(folder, 'held.o');
  mkdirSync(folder, { recursive: true });
  execFileSync('gcc', ['-c', '-x', 'c', '-', '-o', held], {
    input: `#include <unistd.h>
      void srand(unsigned seed) { (void)seed; }
      __attribute__((constructor)) static void held(void) {
        char byte = 10;
        if (write(1, &byte, 1) < 0 || read(0, &byte, 1) < 0) _exit(1);
      }`,
  });
  return redisIn(
    join(folder, 'redisTests'),
    ['redis-server'],
    [
      'OPTIMIZATION=-O2',
      `REDIS_CFLAGS=${counted.join(' ')} -DREDIS_TEST`,
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

/** By file and line, from gcov's own files of one run, which it leaves in a folder; `blocks`: of each part of a line. */
async function gcovCounts(where, begin, runCounting) {
  const seen = () =>
    readdirSync(where)
      .filter((name) => name.startsWith(begin) && name.endsWith('.gcda'))
      .map((name) => join(where, name));
  for (const file of seen()) rmSync(file);
  await runCounting();
  const counts = new Map();
  const blocks = new Map();
  for (const file of seen()) {
    const text = execFileSync('gcov', ['-t', '-a', file], {
      cwd: where,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let source = '';
    for (const row of text.split('\n')) {
      const of = /^ *-: *0:Source:(.*)$/.exec(row);
      if (of) source = basename(of[1]);
      const [, count, line, isBlock] = /^ *(\d+|#####)\*?: *(\d+)(-block|:)/.exec(row) ?? [];
      const key = `${source}:${line}`;
      if (isBlock === '-block') {
        blocks.set(key, [...(blocks.get(key) ?? []), Number(count)]);
        continue;
      }
      const times = count === '#####' ? 0 : Number(count);
      if (count) counts.set(key, times + (counts.get(key) ?? 0));
    }
  }
  return { counts, blocks };
}

/** Of lines with one statement: its address, and count by a breakpoint, which is null where there is none. */
function single(rows) {
  const lines = new Map();
  for (const [file, line, address, count] of rows) {
    const key = `${basename(file ?? '')}:${line}`;
    lines.set(key, lines.has(key) ? undefined : { address, count });
  }
  return new Map([...lines].filter(([, one]) => one !== undefined));
}

const percent = (part, whole) => `${((100 * part) / whole).toFixed(2)} %`;

/** What breakpoints count in a program beside what it counts itself in the same run; null: it failed. */
async function luaCounts({ counting }, asked) {
  let seen = null;
  const gcov = await gcovCounts(folder, basename(counting), () => {
    seen = run({ ...asked, program: counting, counts: true });
  });
  return seen && { seen, ours: single(seen.rows), gcov };
}

/**
 * Of the lines with one statement by jump those that gcov counts otherwise, and how many there are; a run that does nothing
 * is taken away. `hits`: what the processor counts at addresses, by run.
 */
function compared(idle, full, hits) {
  const isCounted = (of, key) => typeof of.ours.get(key)?.count === 'number';
  // Of some ends of functions gcov has no count.
  const keys = [...full.ours.keys()].filter(
    (key) => full.gcov.counts.has(key) && isCounted(full, key) && (!idle || isCounted(idle, key)),
  );
  const lines = keys.map((key) => {
    const { address, count } = full.ours.get(key);
    const breakpoint = count - (idle?.ours.get(key).count ?? 0);
    const gcov = full.gcov.counts.get(key) - (idle?.gcov.counts.get(key) ?? 0);
    return { line: key, address, breakpoint, gcov, blocks: full.gcov.blocks.get(key) ?? [] };
  });
  const others = lines.filter(({ breakpoint, gcov }) => breakpoint !== gcov);
  const addresses = others.map(({ address }) => address);
  const [all, before] = [hits.full(addresses), hits.idle?.(addresses)];
  const told = others.map((one, i) => {
    const processor = all[i] - (before?.[i] ?? 0);
    const { line, address, breakpoint, gcov } = one;
    const isSteady = breakpoint === processor || hits.full([address], moved)[0] === all[i];
    const why = isSteady
      ? whyOther({ ...one, processor })
      : 'the program differs from run to run: it reads memory that it has not written';
    return { line, breakpoint, processor, gcov, why };
  });
  return { equal: lines.length - others.length, lines: lines.length, others: told };
}

/** Why gcov counts a line otherwise than its one statement; null: the breakpoint may have counted wrong. */
function whyOther({ breakpoint, processor, gcov, blocks }) {
  if (breakpoint !== processor) return null;
  if (blocks.length > 1 && blocks.includes(breakpoint))
    return 'it has several blocks, and the statement begins one';
  if (breakpoint === 0) return 'it runs inlined or merged, and nothing comes to its statement';
  return gcov > breakpoint
    ? 'copies of it and jumps into it pass its statement by'
    : 'other lines were merged with its statement';
}

/** Each of the others goes into a table of its own. */
function toldOf({ equal, lines, others }) {
  const explained = others.filter(({ why }) => why !== null);
  return {
    'lines as by gcov': `${equal} of ${lines}`,
    'others as by the processor': `${explained.length} of ${others.length}`,
    others,
  };
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
  const hits = (text) => (addresses, env) =>
    hitsAt({ program: programs.counting, args: asked.args, input: text, env }, addresses);
  const lines = compared(idle, full, { full: hits(input), idle: hits('') });
  return {
    program: 'lua -O0',
    statements: all.statements,
    'by jump': percent(all.jumps, all.statements),
    'line events by jump': shareByJump(all.rows, full.gcov.counts),
    ...toldOf(lines),
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
  const { counts } = await gcovCounts(join(counting, '..'), '', async () => {
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
    'lines as by gcov': '',
    'others as by the processor': '',
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
  const hits = (addresses, env) => hitsAt({ ...asked, env }, addresses);
  const lines = compared(null, { ours: single(seen.rows), gcov }, { full: hits });
  return {
    program: 'redis -O2, its unit tests',
    statements: seen.statements,
    'by jump': percent(seen.jumps, seen.statements),
    'line events by jump': shareByJump(seen.rows, gcov.counts),
    ...toldOf(lines),
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
  const { others = [], ...told } = row;
  if (others.some(({ why }) => why === null)) process.exitCode = 1;
  const kept = (of, own) => [
    ...recordedRows(of).filter(({ program }) => program !== row.program),
    ...own,
  ];
  const rows = kept('statements', [told]);
  const verdict = `every statement patched at once: ${rows.map((one) => `${one.program} ${one['by jump']} by jump`).join(', ')}`;
  recordRows('statements', verdict, rows);
  const lines = kept(
    'statements lines',
    others.map(({ why, ...one }) => ({ program: row.program, ...one, why: why ?? 'UNEXPLAINED' })),
  );
  const unequal = 'lines that gcov counts otherwise than the breakpoint at their one statement';
  recordRows(
    'statements lines',
    `${lines.length} ${unequal}, beside what the processor counts`,
    lines,
  );
  console.log(told);
}
