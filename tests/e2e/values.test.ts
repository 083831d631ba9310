import { describe, expect, test } from 'vitest';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { at } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd } from '../support/runs.ts';
import { itNeeds } from '../support/needs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget } from '../support/targets.ts';

describe('values', () => {
  const { home, client } = withClient();

  async function traced(source: string, pattern: string, module?: string): Promise<SeenCall[]> {
    const wanted = module === undefined ? pattern : { pattern, module };
    const run = await runToEnd(client, home, buildTarget(source), { patterns: [wanted] });
    return await callsOf(client, run.sessionId);
  }

  function the(
    calls: readonly SeenCall[],
    name: string,
    which = 0,
  ): Pick<SeenCall, 'arguments' | 'returns'> {
    const found = calls.filter((call) => call.function === name)[which];
    if (found === undefined) {
      throw new Error(
        `no call ${which} of ${name} among ${calls.map((call) => call.function).join(', ')}`,
      );
    }
    return { arguments: found.arguments, returns: found.returns };
  }

  test('[values.c] C scalars under their names', async () => {
    const calls = await traced('e2e/scalars.c', 'take_*');
    expect(the(calls, 'take_i8')).toEqual({ arguments: { small: -5, byte: 200 }, returns: -6 });
    expect(the(calls, 'take_i16')).toEqual({
      arguments: { shorter: -300, word: 65535 },
      returns: -301,
    });
    expect(the(calls, 'take_int')).toEqual({
      arguments: { number: -70000, count: 3 },
      returns: -70003,
    });
    expect(the(calls, 'take_i64')).toEqual({
      arguments: { cents: '-9007199254740993', huge: '18446744073709551615' },
      returns: '-9007199254740992',
    });
    expect(the(calls, 'take_u64')).toEqual({
      arguments: { huge: '9223372036854775809' },
      returns: '9223372036854775809',
    });
    expect(the(calls, 'take_bool')).toEqual({ arguments: { yes: true, no: false }, returns: true });
    expect(the(calls, 'take_char')).toEqual({ arguments: { letter: 'x' }, returns: 'y' });
    expect(the(calls, 'take_enum')).toEqual({
      arguments: { colour: 'GREEN', other: 'BLUE' },
      returns: 'GREEN',
    });
    expect(the(calls, 'take_double')).toEqual({
      arguments: { rate: 0.125, share: 1.5 },
      returns: 1.75,
    });
    expect(the(calls, 'take_float')).toEqual({ arguments: { share: 2.5 }, returns: 1.25 });
    expect(the(calls, 'take_text')).toEqual({
      arguments: { text: 'naïve café', none: null },
      returns: 'naïve café',
    });
    const pointers = the(calls, 'take_pointer');
    expect(pointers.returns).toMatch(/^0x[0-9a-f]+$/);
    const count = { address: pointers.returns, value: 3 };
    expect(pointers.arguments).toEqual({ place: pointers.returns, count });
    expect(the(calls, 'take_many')).toEqual({
      arguments: { a: 1, b: 2.5, c: 3, d: 4, e: 5, f: 6, g: 77, h: 88, i: 9.25 },
      returns: 195,
    });
    const nothing = the(calls, 'take_nothing');
    expect(nothing.arguments).toEqual({});
    expect(nothing.returns ?? null).toBeNull();
    expect(calls).toHaveLength(14);
  });

  test('[values.cpp] C++ methods, overloads, templates and scoped enums', async () => {
    const calls = await traced('e2e/methods.cpp', 'shop::till::**');
    const own = (which: number) => {
      const { arguments: given, returns } = the(calls, 'shop::till::Drawer::take', which);
      const { this: self, ...rest } = given;
      expect(at(self, 'address')).toMatch(/^0x[0-9a-f]+$/);
      return { ...rest, returns };
    };
    expect(own(0)).toEqual({ cents: 250, mode: 'open', returns: true });
    expect(own(1)).toEqual({ cents: 5000, mode: 'open', returns: false });
    expect(own(2)).toEqual({ cents: 1, mode: 'training', returns: false });
    expect(the(calls, 'shop::till::Drawer::next')).toMatchObject({
      arguments: { mode: 'closed' },
      returns: 'open',
    });
    expect(the(calls, 'shop::till::Drawer::in')).toMatchObject({
      arguments: { currency: 'EUR', rate: 0.01 },
      returns: 7.5,
    });
    const weighed = calls.filter((call) => call.function === 'shop::till::weigh');
    expect(weighed.map((call) => call.arguments)).toEqual(
      expect.arrayContaining([{ grams: 420 }, { label: 'x', grams: 7 }]),
    );
    const doubled = calls.filter((call) => /^shop::till::twice(<.*>)?$/.test(call.function));
    expect(doubled.map((call) => call.returns)).toEqual(expect.arrayContaining([42, 2.5]));
  });

  const long = `long text:${'x'.repeat(1014)}…`;

  test.each(['-O0', '-O2'])(
    '[values.containers] text and lists in C++ containers (%s)',
    async (level) => {
      const program = buildTarget('e2e/containers.cpp', ['-std=c++20', level]);
      const run = await runToEnd(client, home, program, { patterns: ['box::*'] });
      const calls = await callsOf(client, run.sessionId);
      const own = (name: string, which = 0) => the(calls, `box::${name}`, which);
      expect(own('byReference', 0)).toEqual({ arguments: { name: 'tea', count: 1 }, returns: 4 });
      expect(own('byReference', 1)).toEqual({ arguments: { name: long, count: 2 }, returns: 1502 });
      expect(own('byReference', 2)).toEqual({ arguments: { name: '', count: 3 }, returns: 3 });
      expect(own('byPointer', 0).arguments).toEqual({ name: 'tea' });
      expect(own('byPointer', 1).arguments).toEqual({ name: null });
      expect(own('byValue')).toEqual({ arguments: { name: 'by value', count: 4 }, returns: 12 });
      expect(own('view', 0)).toEqual({ arguments: { part: 'naïve view', count: 5 }, returns: 16 });
      expect(own('view', 1)).toEqual({ arguments: { part: '', count: 6 }, returns: 6 });
      expect(own('late').arguments).toMatchObject({ e: 5, name: 'tea' });
      expect(own('sum', 0)).toEqual({
        arguments: { numbers: [1, -2, 3], label: 'three' },
        returns: 7,
      });
      expect(own('sum', 1).arguments['numbers']).toEqual([
        ...Array.from({ length: 100 }, () => 5),
        '…(+900)',
      ]);
      expect(own('sum', 2)).toEqual({ arguments: { numbers: [], label: '' }, returns: 0 });
      expect(own('mean')).toEqual({ arguments: { rates: [0.5, 1.5] }, returns: 1 });
      const value = [
        { name: 'a', price: 1 },
        { name: 'b', price: 2 },
      ];
      expect(own('items').arguments).toMatchObject({ all: { value } });
      expect(own('join')).toEqual({ arguments: { a: 'left', b: 'right' }, returns: 'left/right' });
      expect(own('head')).toEqual({ arguments: { text: 'headline' }, returns: 'head' });
      expect(own('longer')).toEqual({ arguments: { a: 'tea', b: long }, returns: long });
      expect(own('bytes')).toEqual({ arguments: { count: 3 }, returns: [7, 7, 7] });
      const found = await callsOf(client, run.sessionId, { text: 'headline' });
      expect(found.map((call) => call.function)).toEqual(['box::head']);
      const joined = await callsOf(client, run.sessionId, {
        argument: [{ name: 'b', equals: 'right' }],
      });
      expect(joined.map((call) => call.function)).toEqual(['box::join']);
      const listed = await callsOf(client, run.sessionId, {
        argument: [{ name: 'label', equals: 'many' }],
      });
      expect(listed).toHaveLength(1);
    },
  );

  itNeeds('rustc', '[values.containers] text and lists of Rust', async () => {
    const program = buildTarget('e2e/holders.rs', ['-C', 'opt-level=0']);
    const run = await runToEnd(client, home, program, { patterns: ['holders::held::*'] });
    const calls = await callsOf(client, run.sessionId);
    const own = (name: string, which = 0) => the(calls, `holders::held::${name}`, which);
    expect(own('text', 0)).toEqual({ arguments: { part: 'naïve', count: 1 }, returns: 7 });
    expect(own('owned')).toEqual({ arguments: { name: 'kettle', count: 3 }, returns: 9 });
    expect(own('sum', 0).arguments).toEqual({ numbers: [4, -5, 6], label: 'three' });
    expect(own('grow').arguments).toEqual({ list: [7, 9], by: 11 });
    expect(own('names').arguments).toEqual({ all: ['kettle', 'pan'] });
    expect(own('shout')).toEqual({ arguments: { text: 'quiet' }, returns: 'QUIET' });
    expect(own('head')).toEqual({ arguments: { text: 'headline' }, returns: 'head' });
    expect(own('count')).toEqual({ arguments: { to: 3 }, returns: [0, 1, 2] });
  });

  test('[values.objects] objects behind pointers and references of C++', async () => {
    const program = buildTarget('e2e/objects.cpp', ['-O0']);
    const run = await runToEnd(client, home, program, {
      patterns: [{ pattern: 'bank::**', depth: 1 }],
    });
    const calls = await callsOf(client, run.sessionId);
    const own = (name: string, which = 0) => the(calls, `bank::${name}`, which).arguments;
    const account = {
      id: 7,
      cents: -250,
      rate: 0.5,
      locked: false,
      state: 'open',
      home: { zip: 4051, street: 'Main' },
      parent: null,
      owner: 'Ada Lovelace, Countess of Lovelace, London',
      history: [1, 2, 3],
    };
    expect(own('Account::withdraw', 0)).toMatchObject({ this: account, amount: 100 });
    expect(own('Account::withdraw', 1)).toMatchObject({
      this: { ...account, cents: -350, history: [1, 2, 3, 100] },
    });
    expect(own('transfer', 0)).toMatchObject({
      from: { cents: -1250, state: 'frozen', history: [1, 2, 3, 100, 900] },
      to: { owner: 'Bob', id: 7 },
      amount: 5,
    });
    expect(own('transfer', 1)).toMatchObject({ from: { owner: 'Bob' }, to: null, amount: 6 });
    expect(own('isNear')).toEqual({ where: { unreadable: '0x10' } });
    expect(own('count')['all']).toMatchObject({
      value: [
        { zip: 1, street: 'a' },
        { zip: 2, street: 'b' },
      ],
    });
    const login = own('check');
    expect(JSON.stringify(login['login'])).toMatch(/redacted: named .*password/);
    expect(JSON.stringify(login)).not.toContain('hunter2');
    const found = await callsOf(client, run.sessionId, {
      argument: [{ name: 'to.owner', equals: 'Bob' }],
    });
    expect(found.map((call) => call.function)).toEqual(['bank::transfer']);
    const inside = await callsOf(client, run.sessionId, {
      argument: [{ name: 'from.home.zip', equals: 4051 }],
    });
    expect(inside).toHaveLength(2);
    const named = await callsOf(client, run.sessionId, { text: 'Lovelace' });
    expect(named.map((call) => call.function)).toContain('bank::Account::withdraw');
    const tree = await client.ok('debug_query', { view: 'tree', sessionId: run.sessionId });
    // The object is written once, where it comes first, and is a number from then on.
    const [, number] = /\bthis=(#\d+)?[^\n]*cents=-350/.exec(tree.text) ?? [];
    const written = `${number ?? 'this='}[^\\n]*0x[0-9a-f]+\\{id=7, owner="Ada `;
    expect(tree.text).toMatch(new RegExp(written));
    expect(tree.text).toMatch(/withdraw\(this=[^)]*cents=-350/);
  });

  test('[values.objects] a line of a tree tells one object in several states from several objects', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/sameObject.cpp'), {
      patterns: ['Counter::*', 'readOf'],
    });
    const { text } = await client.ok('debug_query', { view: 'tree', sessionId });
    expect(text).toMatch(/Counter::add\(this=0x[0-9a-f]+\{\d+ different\}, by=\d\.\.9\) ×/);
    expect(text).toMatch(/readOf\(counter=\d different\) = 0\.\.\d+ ×/);
  });

  test('[values.objects] without depth an object is its address', async () => {
    const run = await runToEnd(client, home, buildTarget('e2e/objects.cpp'), {
      patterns: [{ pattern: 'bank::transfer', depth: 0 }],
    });
    const calls = await callsOf(client, run.sessionId);
    const { to } = the(calls, 'bank::transfer').arguments;
    expect(to).toMatch(/^0x[0-9a-f]+$/);
  });

  test('[values.depth] three levels where nobody says, the depth of a session, and of a pattern while the program runs', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/steps.cpp'), {
      patterns: [{ pattern: 'board::step', depth: 0 }, 'board::turn'],
      stdin: 'open',
    });
    let cursor: string | undefined;
    const line = async (row: number): Promise<void> => {
      await client.ok('debug_session', { action: 'input', sessionId, text: 'go\n' });
      ({ cursor } = await outputSeen(client, sessionId, `row ${row}`, cursor));
    };
    await line(11);
    const add = [{ pattern: 'board::step', depth: 1 }];
    await client.ok('debug_trace', { sessionId, add });
    await line(12);
    await client.ok('debug_trace', { sessionId, add: ['board::step'] });
    await line(13);
    await client.ok('debug_trace', { sessionId, serializationDepth: 0, add: ['board::turn'] });
    await line(14);
    await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
    await exitOf(client, sessionId);
    const calls = await callsOf(client, sessionId);
    const places = (name: string) =>
      calls
        .filter((call) => call.function === name)
        .map(({ arguments: { place } }) =>
          typeof place === 'string' ? 'address' : [at(place, 'row'), at(place, 'before')],
        );
    const address: unknown = expect.stringMatching(/^0x/);
    const before: unknown = expect.objectContaining({ row: 1, column: 1, before: null });
    expect(places('board::step')).toEqual(['address', [11, address], [12, before], [13, before]]);
    expect(places('board::turn')).toEqual([[11, before], [12, before], [13, before], 'address']);
  });

  itNeeds('rustc', '[values.optimised] arguments LLVM moved or removed', async () => {
    const program = buildTarget('e2e/holders.rs', ['-C', 'opt-level=3']);
    const run = await runToEnd(client, home, program, { patterns: ['holders::held::*'] });
    const calls = await callsOf(client, run.sessionId);
    const { arguments: text } = the(calls, 'holders::held::text');
    // Only the length of the text is used: its address is not passed any more.
    expect(text).toEqual({ count: 1, part: { notCaptured: 'the compiler removed it' } });
    const { arguments: sum } = the(calls, 'holders::held::sum');
    expect(sum['numbers']).toEqual([4, -5, 6]);
    expect(sum['label']).toEqual({ notCaptured: 'the compiler removed it' });
  });

  itNeeds('rustc', '[values.optimised] large results without their address in rax', async () => {
    const program = buildTarget('e2e/largeResults.rs', ['-C', 'opt-level=3']);
    const patterns = ['largeResults::stock::*'];
    const run = await runToEnd(client, home, program, { patterns, args: ['pen', '', 'ink'] });
    const calls = await callsOf(client, run.sessionId);
    const returned = (name: string): unknown[] =>
      calls.filter((call) => call.function === name).map(({ returns }) => returns);
    expect(returned('largeResults::stock::added')).toEqual([
      { Err: 'none of pen' },
      { Ok: 2 },
      { Ok: 3 },
    ]);
    expect(returned('largeResults::stock::taken')).toEqual([
      { Some: { name: 'PEN', left: 0, price: 'None' } },
      'None',
      { Some: { name: 'INK', left: 4, price: { Some: 400 } } },
    ]);
    expect(returned('largeResults::stock::shared')).toEqual([
      'None',
      { Some: { __0: 1, __1: 2 } },
      { Some: { __0: 3, __1: 3 } },
    ]);
    expect(the(calls, 'largeResults::stock::shared', 1).arguments).toMatchObject({
      count: 3,
      letter: { value: 101 },
    });
    expect(returned('largeResults::stock::sums')).toEqual([
      [1, 0],
      [2, 2],
      [3, 4],
    ]);
    const { sessionId } = run;
    const tree = await client.ok('debug_query', { sessionId, view: 'tree' });
    expect(tree.text).toMatch(/added\(name="pen", count=0\) = Err\("none of pen"\) /);
    expect(tree.text).toMatch(/added\(name=.*, count=1\.\.2\) = .*Ok\(.* ×2/);
    expect(tree.text).toMatch(/taken\(name="", count=2\) = None /);
  });

  test.each(['-gdwarf-5', '-gdwarf-4'])(
    '[values.optimised] arguments of copies with another signature, gcc %s',
    async (version) => {
      const program = buildTarget('e2e/copies.c', ['-O2', version]);
      const patterns = ['fits', 'stacked'];
      const run = await runToEnd(client, home, program, { patterns, args: ['77'] });
      const calls = await callsOf(client, run.sessionId);
      const constant = { notCaptured: 'the compiler made it a constant' };
      expect(the(calls, 'fits', 1)).toMatchObject({
        arguments: { box: { high: 3 }, mode: constant, room: 11, share: 1.5, name: '77' },
        returns: {
          notCaptured: 'the compiler may have removed it: only its own file uses the function',
        },
      });
      const unsaid = { notCaptured: 'the compiler removed it, or does not say where it is' };
      expect(the(calls, 'stacked', 2).arguments).toMatchObject({
        all: { wide: 2, high: 3 },
        unused: constant,
        count: unsaid,
        step: unsaid,
      });
    },
  );

  itNeeds('clangBuilds', '[values.optimised] arguments beside one clang left out', async () => {
    const argumentsOf = async (level: string, name: string): Promise<unknown> => {
      const program = buildByClang('e2e/leftOut.cpp', [level]);
      const run = await runToEnd(client, home, program, { patterns: ['late', 'wide'] });
      return the(await callsOf(client, run.sessionId), name).arguments;
    };
    const leftOut = { notCaptured: 'the debug information leaves out a parameter' };
    expect(await argumentsOf('-O0', 'late')).toMatchObject({ first: leftOut, second: leftOut });
    const unsaid = { notCaptured: 'the compiler removed it, or does not say where it is' };
    const wide = { a: 1, c: 3, d: 4, e: 5, f: 6, h: 1.5 };
    expect(await argumentsOf('-O0', 'wide')).toMatchObject({ ...wide, g: 7, i: 9 });
    // One of those that come in registers was dropped: of those on the stack one comes in its place.
    expect(await argumentsOf('-O2', 'wide')).toMatchObject({ ...wide, g: unsaid, i: unsaid });
  });

  itNeeds('rustc', '[values.objects] structures behind references of Rust', async () => {
    const program = buildTarget('e2e/records.rs', ['-C', 'opt-level=0']);
    const run = await runToEnd(client, home, program, {
      patterns: [{ pattern: 'records::ledger::**', depth: 1 }],
    });
    const calls = await callsOf(client, run.sessionId);
    expect(the(calls, 'records::ledger::Account::withdraw', 1).arguments).toMatchObject({
      self: {
        id: 12,
        owner: 'Ada',
        open: true,
        place: { zip: 4051, lat: 47.5 },
        history: [1, 5],
      },
      cents: 6,
    });
  });

  itNeeds('rustc', '[values.rust] Rust functions, methods and trait impls', async () => {
    const calls = await traced('e2e/shapes.rs', 'shapes::**');
    const named = (part: string) => {
      const found = calls.find((call) => call.function.includes(part));
      if (found === undefined)
        throw new Error(`no ${part} among ${calls.map((call) => call.function).join(', ')}`);
      return found;
    };
    expect(named('Counter::add')).toMatchObject({
      arguments: { amount: 16, twice: true },
      returns: 42,
    });
    expect(named('step')).toMatchObject({ arguments: { by: 2 }, returns: 40 });
    expect(named('scale')).toMatchObject({
      arguments: { rate: 0.5, share: 3, mode: 'Busy' },
      returns: 1.5,
    });
    expect(named('letter')).toMatchObject({ arguments: { c: 'é', shift: 1 }, returns: 234 });
    const checks = calls.filter((call) => call.function.endsWith('check'));
    expect(checks.map((call) => call.arguments['level'])).toEqual([3, 2, 1, 0]);
    expect(checks.map((call) => call.end)).toEqual(['unwound', 'unwound', 'unwound', 'unwound']);
  });
});
