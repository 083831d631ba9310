import { describe, expect, test } from 'vitest';
import { callsOf, expectReconciled, linesOf } from '../support/calls.ts';
import { itNeeds, itProves } from '../support/needs.ts';
import { at, listAt, numberAt } from '../support/read.ts';
import { changedCode } from '../support/processImage.ts';
import { until } from '../support/processes.ts';
import { Running } from '../support/running.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget, targetSource } from '../support/targets.ts';

/** Calls that wait to be recorded, in few levels. */
function slow(pattern: string) {
  return [{ pattern, minDurationNs: 2000, maxDepth: 20, sampling: 'off' }];
}

/** What each program is built with, and what of it is traced. */
const programs = {
  jumps: { source: 'hazards/jumps.c', flags: [], patterns: ['*'] },
  threads: { source: 'hazards/threads.c', flags: ['-pthread'], patterns: ['*'] },
  signals: { source: 'hazards/signals.c', flags: ['-pthread'], patterns: ['*'] },
  jumpsInTime: { source: 'hazards/jumps.c', flags: [], patterns: slow('*') },
  signalsInTime: { source: 'hazards/signals.c', flags: ['-pthread'], patterns: slow('*') },
  coroutinesInTime: {
    source: 'hazards/coroutines.cpp',
    flags: ['-std=c++20'],
    patterns: slow('routines::**'),
  },
  blocked: { source: 'hazards/blocked.c', flags: [], patterns: ['*'] },
  vanishing: {
    source: 'hazards/vanishing.c',
    flags: ['-pthread'],
    patterns: [{ pattern: 'take', sampling: 'off' }],
  },
  values: { source: 'hazards/values.c', flags: [], patterns: ['*'] },
  callers: { source: 'hazards/callers.c', flags: ['-rdynamic', '-ldl'], patterns: ['*'] },
  reporters: {
    source: 'hazards/reporters.cpp',
    flags: ['-fnon-call-exceptions'],
    patterns: ['balance_of'],
  },
  faults: { source: 'hazards/faults.c', flags: [], patterns: ['reads', 'traps', 'later'] },
  recovers: { source: 'hazards/recovers.go', flags: [], patterns: ['twice'] },
  comesAndGoes: {
    source: 'hazards/comesAndGoes.c',
    flags: ['-pthread', '-ldl'],
    patterns: ['first.so!plugged', 'second.so!plugged', 'calls'],
  },
  promoted: { source: 'hazards/promoted.cpp', flags: [], patterns: ['promoted::*'] },
  tiny: { source: 'hazards/tiny.c', flags: [targetSource('hazards/tiny.S')], patterns: ['*'] },
  nameless: {
    source: 'hazards/nameless.c',
    flags: [targetSource('hazards/nameless.S')],
    patterns: ['brief', 'second', 'padded', 'tight', 'behind'],
  },
  patchable: {
    source: 'hazards/patchable.c',
    flags: ['-Os', '-fpatchable-function-entry=2', '-fcf-protection=none'],
    patterns: ['first', 'third'],
  },
  unread: {
    source: 'hazards/unread.c',
    flags: [targetSource('hazards/unread.S')],
    patterns: ['*'],
  },
  otherCode: {
    source: 'hazards/otherCode.c',
    flags: [targetSource('hazards/otherCode.S')],
    patterns: ['*'],
  },
  deep: { source: 'hazards/deep.c', flags: ['-O0'], patterns: ['*'] },
  asksWho: { source: 'hazards/asksWho.c', flags: ['-ldl'], patterns: ['*'] },
  coroutines: {
    source: 'hazards/coroutines.cpp',
    flags: ['-std=c++20'],
    patterns: ['routines::**', 'main'],
  },
  wildTexts: {
    source: 'hazards/wildTexts.cpp',
    flags: ['-std=c++17'],
    patterns: ['named', 'viewed'],
  },
} as const;
type Program = keyof typeof programs;

describe('programs that do what is hard to trace', () => {
  const { home, client } = withClient();

  /** Both runs say and return the same; answers what the traced one says of itself. */
  async function alike(
    program: Program,
    flags: readonly string[] = [],
    args: readonly string[] = [],
    build: typeof buildByClang = buildTarget,
  ): Promise<{ events: number; hooked: number; verdicts: string; sessionId: string }> {
    const { source, flags: own, patterns } = programs[program];
    const path = build(source, [...own, ...flags]);
    const plain = await runProgram({ env: home.env, cwd: home.project }, [path, ...args]);
    const traced = await runToEnd(client, home, path, { args, patterns });
    const lines = await linesOf(client, traced.sessionId);
    const written = (stream: string) =>
      lines.filter((line) => line.stream === stream).map((line) => withoutPid(line.text));
    expect(written('stdout').join('\n')).toBe(plain.stdout.toString().trimEnd());
    expect(written('stderr').join('\n')).toBe(withoutPid(plain.stderr).trimEnd());
    expect(traced.exit).toMatchObject(
      plain.code === null ? { signal: plain.signal } : { kind: 'exited', code: plain.code },
    );
    const answer = await client.ok('debug_query', { view: 'stats', sessionId: traced.sessionId });
    const counters = at(answer.structured, 'counters');
    expectReconciled(counters);
    return {
      events: numberAt(counters, 'stored'),
      hooked: numberAt(traced.structured, 'hooks', 'hookedFunctions'),
      verdicts: traced.text,
      sessionId: traced.sessionId,
    };
  }

  // Sanitizers begin their lines with it.
  const withoutPid = (text: string) => text.replaceAll(/==\d+==/g, '==pid==');

  /** Those of them that differ least from others. */
  const matrix = new Set(['-Os', '-O3', 'stack protector, frame pointers']);
  const builds = {
    'by default': [],
    '-O0': ['-O0'],
    '-Os': ['-Os'],
    '-O3': ['-O3'],
    'link-time optimisation': ['-O2', '-flto'],
    'control-flow protection': ['-O2', '-fcf-protection=full'],
    'no frame pointers, not movable': ['-O2', '-fomit-frame-pointer', '-fno-pie', '-no-pie'],
    'stack protector, frame pointers': ['-fstack-protector-all', '-fno-omit-frame-pointer'],
    'address sanitizer': ['-fsanitize=address'],
    'undefined behaviour sanitizer': ['-fsanitize=undefined'],
  };
  for (const [build, flags] of Object.entries(builds)) {
    const itBuilt = matrix.has(build) ? itProves.bind(null, null) : test;
    itBuilt(
      `[trace.hazards] arguments and results of every class, and coroutines: ${build}`,
      async () => {
        for (const program of ['values', 'coroutines'] as const) {
          const { events, hooked } = await alike(program, flags);
          expect(hooked).toBeGreaterThan(3);
          expect(events).toBeGreaterThan(100);
        }
      },
    );
  }

  // Clang inlines, tail-calls and lays out otherwise; -O1 unless the flags say more.
  for (const [build, flags] of Object.entries(builds)) {
    itNeeds('clangBuilds', `[trace.hazards] the same programs by clang: ${build}`, async () => {
      for (const program of ['values', 'coroutines', 'jumps', 'signals'] as const) {
        const all = ['-O1', '-Wno-unknown-attributes', ...flags];
        const { events, hooked, verdicts } = await alike(program, all, [], buildByClang);
        // In C++ it puts what it checks at indirect calls into the first bytes of functions.
        const isMarked = program === 'coroutines' && build.startsWith('undefined');
        expect(hooked).toBeGreaterThan(isMarked ? 0 : 3);
        expect(events).toBeGreaterThan(isMarked ? 0 : 100);
        if (build === 'address sanitizer' && program !== 'coroutines')
          expect(verdicts).toContain('it belongs to a sanitizer');
      }
    });
  }

  itNeeds('clangBuilds', '[trace.hazards] tiny functions and wild pages by clang', async () => {
    for (const program of ['tiny', 'vanishing'] as const) {
      const { events } = await alike(program, ['-O2'], [], buildByClang);
      expect(events).toBeGreaterThan(1000);
    }
  });

  itNeeds(
    'clangBuilds',
    '[trace.hazards] more arguments on the stack than are described',
    async () => {
      const { hooked, events } = await alike('promoted', ['-O3'], [], buildByClang);
      expect({ hooked, events }).toEqual({ hooked: 1, events: 10 });
    },
  );

  for (const build of ['by default', '-O0', '-O3', 'address sanitizer'] as const) {
    test(`[trace.hazards] jumps between stacks, and a storm of signals: ${build}`, async () => {
      for (const program of ['jumps', 'signals'] as const) {
        const { events, hooked } = await alike(program, builds[build]);
        expect(hooked).toBeGreaterThan(3);
        expect(events).toBeGreaterThan(1000);
      }
    });
  }

  for (const flags of [[], ['-O0']]) {
    test(`[trace.min-duration] [trace.hazards] the same while calls wait to be recorded ${flags.join('')}`, async () => {
      for (const program of ['jumpsInTime', 'signalsInTime', 'coroutinesInTime'] as const) {
        const { events, hooked } = await alike(program, flags);
        expect(hooked).toBeGreaterThan(2);
        expect(events).toBeGreaterThan(0);
      }
    });
  }

  test('[trace.hazards] a signal that the program’s only thread blocks waits for it', async () => {
    const { events } = await alike('blocked');
    expect(events).toBeGreaterThan(400);
  });

  test('[trace.hazards] text in pages that go and come back is read without harm, and rightly', async () => {
    const { sessionId } = await alike('vanishing');
    const calls = await callsOf(client, sessionId, { limit: 450 });
    const texts = calls.map((call) => call.arguments['text']);
    expect(texts.length).toBeGreaterThan(150);
    const place = at(texts[2], 'unreadable');
    expect(place).toMatch(/^0x[0-9a-f]+000$/);
    for (let turn = 0; turn < 50; turn++) {
      expect(texts.slice(turn * 3, turn * 3 + 2)).toEqual([`turn ${turn}`, `turn ${turn}`]);
      expect(texts[turn * 3 + 2]).toEqual({ unreadable: place });
    }
  });

  test('[trace.hazards] threads that end in every way, 10,000 of them, and the first before the last', async () => {
    const { events } = await alike('threads', [], ['10000']);
    expect(events).toBeGreaterThan(10_000);
  });

  for (const [compiler, compile] of [
    ['gcc', buildTarget],
    ['clang', buildByClang],
  ] as const) {
    const says = `[trace.hazards] a thread sanitizer of ${compiler} cannot bear tracing: launched, the program runs without`;
    const check = async () => {
      const path = compile('hazards/coroutines.cpp', ['-std=c++20', '-fsanitize=thread']);
      const plain = await runProgram({ env: home.env, cwd: home.project }, [path]);
      const { sessionId, text, exit } = await runToEnd(client, home, path, {
        patterns: ['routines::**'],
      });
      expect(text.split('INSTRUMENTATION_FAILED: ')).toHaveLength(2);
      expect(text).toMatch(/a program built with -fsanitize=thread, whose .*To trace it, build it/);
      expect(exit).toEqual({ kind: 'exited', code: plain.code });
      const lines = (await linesOf(client, sessionId)).map((line) => line.text);
      expect(lines).toEqual(plain.stdout.toString().trimEnd().split('\n'));
    };
    if (compiler === 'gcc') test(says, check);
    else itNeeds('clangBuilds', says, check);
  }

  test('[trace.hazards] a running program with a thread sanitizer is not attached to, and runs on', async () => {
    const path = buildTarget('engine/talker.c', ['-pthread', '-fsanitize=thread']);
    await using program = await Running.start(path, [], 'ready');
    const { text } = await client.refused('debug_launch', { pid: program.pid, patterns: ['*'] });
    expect(text).toMatch(
      /^INSTRUMENTATION_FAILED: .*-fsanitize=thread[\s\S]*Next: To trace it, build/,
    );
    program.write('print\n');
    await until('it runs on', () => program.stdout.includes('printed'));
    expect(changedCode(program.pid)).toEqual([]);
  });

  test('[trace.hazards] functions of 1 to 15 bytes, branches to their beginning, results in flags', async () => {
    const { events, verdicts } = await alike('tiny');
    expect(events).toBeGreaterThan(199 * 10);
    expect(verdicts).toContain('matched 23 · hooked 16 · refused 7');
    expect(verdicts).toContain('packed1, packed2: the function is shorter than the 5-byte jump');
    expect(verdicts).toContain('loops, again: a branch inside the function leads into its first');
    expect(verdicts).toContain('counts: its first instructions cannot be moved');
    expect(verdicts).toContain('where: it uses its return address');
  });

  test('[trace.hazards] what looks like padding is the beginning of the next function', async () => {
    const { events, verdicts } = await alike('patchable');
    expect(verdicts).toContain('first: the function is shorter than the 5-byte jump');
    expect(events).toBe(2 * 3);
  });

  test('[trace.hazards] functions that no symbol tells the extent of, behind short ones', async () => {
    const { events, verdicts } = await alike('nameless');
    for (const name of ['brief', 'second'])
      expect(verdicts).toContain(`${name}: the function is shorter than the 5-byte jump`);
    expect(events).toBe(2 * 3 * 100);
  });

  test('[trace.hazards] [trace.unknown-code] loops back into first bytes that the function alone does not show', async () => {
    const { hooked, verdicts } = await alike('unread');
    expect(verdicts).toContain('over_data: its code holds bytes that are no instruction');
    expect(verdicts).toContain(
      'through_cold, entered_behind: a branch inside the function leads into its first bytes',
    );
    expect(hooked).toBe(3); // main, plain, enters
  });

  test('[trace.hazards] [trace.unknown-code] code that is not called as C is', async () => {
    const { hooked, events, verdicts } = await alike('otherCode');
    for (const name of ['op_add', 'op_double', 'op_end', 'in_add', 'in_double', 'in_end', 'pops'])
      expect(verdicts).toMatch(
        new RegExp(`refused: [^\\n]*\\b${name}\\b[^\\n]*: it is not called as C functions are`),
      );
    // main, plain, and the ways into the others
    expect({ hooked, events }).toEqual({ hooked: 5, events: 2 + 4 * 50 * 2 });
  });

  test('[trace.hazards] [trace.unknown-code] code that an engine of JavaScript made for itself', async () => {
    const args = ['-e', 'console.log([3, 1, 2].sort().join(), JSON.stringify({ a: [1, 2] }))'];
    const traced = await runToEnd(client, home, process.execPath, {
      args,
      patterns: ['node!Builtins_*', 'node!node::Start'],
    });
    const lines = await linesOf(client, traced.sessionId);
    expect(lines.map(({ text }) => text)).toEqual(['1,2,3 {"a":[1,2]}']);
    expect(traced.exit).toEqual({ kind: 'exited', code: 0 });
    expect(traced.text).toMatch(
      /node!Builtins_\*: matched [\d,]{4,} · hooked 0 · refused [\d,]{4,}/,
    );
    expect(await callsOf(client, traced.sessionId)).toHaveLength(1);
  });

  for (const build of ['-O0', '-O2', '-Os', '-O2 -fno-plt', '-O2 -fno-omit-frame-pointer'])
    test(`[trace.hazards] [trace.caller-address] functions that ask who called them: ${build}`, async () => {
      const { hooked, verdicts } = await alike('asksWho', build.split(' '));
      for (const name of ['who', 'who_by_frame', 'who_at_last'])
        expect(verdicts).toMatch(new RegExp(`\\b${name}\\b[^\n]*: it uses its return address`));
      if (build !== '-O0')
        for (const name of ['find', 'find_through', 'open_library', 'who_through'])
          expect(verdicts).toMatch(new RegExp(`refused: [^\n]*\\b${name}\\b`));
      expect(hooked).toBeGreaterThanOrEqual(5);
    });

  for (const flags of [['-finstrument-functions'], ['-pg'], ['-pg', '-mfentry']])
    test(`[trace.hazards] [trace.caller-address] what looks at every caller: ${flags.join(' ')}`, async () => {
      const { verdicts } = await alike('asksWho', ['-O1', ...flags]);
      for (const name of ['leaf', 'middle'])
        expect(verdicts).toMatch(new RegExp(`refused: [^\n]*\\b${name}\\b`));
    });

  test('[trace.hazards] [trace.stack-room] a recursion over most of the stack, here and in a fork', async () => {
    const { verdicts, hooked } = await alike('deep');
    expect(verdicts).toMatch(/hooked: .*\bdown\b/);
    expect(hooked).toBeGreaterThan(2);
  });

  test('[trace.hazards] texts that were never made, at the end of all memory', async () => {
    const { events } = await alike('wildTexts');
    expect(events).toBe(2 * 12 * 2);
  });

  test('[trace.hazards] a fault handler finds the program’s own code, and goes on as it says', async () => {
    const { hooked, events } = await alike('faults');
    expect(hooked).toBe(2); // What follows an illegal instruction is not moved.
    expect(events).toBe(300 + 200 + 100); // A call that is jumped out of ends there.
  });

  for (const way of ['reset', 'raise', 'throw', 'ignore']) {
    test(`[trace.hazards] a crash reporter’s handler is called as by the kernel: ${way}`, async () => {
      const { events } = await alike('reporters', [], [way]);
      expect(events).toBeGreaterThan(0);
    });
  }

  itNeeds(
    'go',
    '[trace.hazards] [crash.handled] Go recovers from nil pointers as untraced',
    async () => {
      const { events } = await alike('recovers');
      expect(events).toBe(2 * 4 * 500);
    },
  );

  test('[trace.hazards] a program that may write small files only', async () => {
    const path = buildTarget('hazards/values.c');
    const args = ['--fsize=300000', path];
    const plain = await runProgram({ env: home.env, cwd: home.project }, ['prlimit', ...args]);
    const traced = await runToEnd(client, home, 'prlimit', { args, patterns: ['swap', 'keeps'] });
    expect(traced.exit).toEqual({ kind: 'exited', code: plain.code });
    expect(await callsOf(client, traced.sessionId)).toHaveLength(2);
  });

  test('[trace.hazards] libraries that come and go at the same addresses while their functions are called', async () => {
    const plugins = ['first', 'second'].map((name, index) =>
      buildTarget('engine/plugin.c', ['-shared', '-fPIC', `-DSTEP=${index + 1}`], `${name}.so`),
    );
    const { sessionId } = await alike('comesAndGoes', [], plugins);
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    const rows = listAt(stats.structured, 'rows');
    const plugged = rows.filter((row) => at(row, 'function') === 'plugged');
    expect(plugged.length).toBe(2);
  });

  test('[trace.hazards] backtraces name the program’s frames as untraced', async () => {
    await alike('callers');
  });
});
