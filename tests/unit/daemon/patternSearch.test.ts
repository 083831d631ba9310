import { expect, test } from 'vitest';
import { patternRequest } from '../../../src/daemon/tracing/patternRequest.ts';
import { sessionId } from '../../../src/model/ids.ts';
import { PatternSearch } from '../../../src/daemon/tracing/patternSearch.ts';
import { TraceState, type FoundFunctions } from '../../../src/daemon/tracing/traceState.ts';

function functionsOf(units: readonly string[]): FoundFunctions {
  const functions = units.map((unit) => ({
    runtime: 'native' as const,
    id: unit,
    unit,
    name: 'f',
    signature: 'f',
    file: null,
    line: null,
  }));
  const none = { inlined: [], moreInlined: 0, leftOut: [], nearest: [], notes: [] };
  return { match: { functions, ...none }, problem: null };
}

/** A program that loads libraries; the looks at them end when they are let go, in any order. */
function loading() {
  const units = ['program'];
  const looks: (() => void)[] = [];
  const trace = new TraceState({ whyUndecided: () => null, refusalOf: () => null });
  const search = new PatternSearch(
    trace,
    async (_request, loaded) => {
      await new Promise<void>((resolve) => looks.push(resolve));
      return functionsOf(loaded.flatMap((one) => one.units));
    },
    () => [{ units: [...units] }],
  );
  const letGo = async (at: number): Promise<void> => {
    looks[at]?.();
    await new Promise(setImmediate);
  };
  const wanted = (): string[] => trace.wanted().map(({ unit }) => unit);
  return { units, search, letGo, wanted };
}

test('[trace.later-library] a look that ends late leaves what a later one found', async () => {
  const { units, search, letGo, wanted } = loading();
  const added = search.add([patternRequest('f')]);
  await letGo(0);
  await letGo(0);
  await added;
  expect(wanted()).toEqual(['program']);
  units.push('libcrypto.so');
  const first = search.again();
  await letGo(-1);
  units.push('libssl.so');
  const second = search.again();
  for (let at = 9; at >= 0; at--) await letGo(at);
  for (let at = 9; at >= 0; at--) await letGo(at);
  expect(await first).toBe(true);
  await second;
  expect(wanted()).toEqual(['program', 'libcrypto.so', 'libssl.so']);
  expect(await search.again()).toBe(false);
});

test('[trace.later-library] patterns that were there are looked for in what came while one is added', async () => {
  const { units, search, letGo, wanted } = loading();
  const added = search.add([patternRequest('f')]);
  await letGo(-1);
  await letGo(0);
  await added;
  units.push('libssl.so');
  const more = search.add([patternRequest('g')]);
  const again = search.again();
  for (let at = 0; at < 6; at++) await letGo(at);
  await more;
  expect(await again).toBe(true);
  expect(wanted().filter((unit) => unit === 'libssl.so')).toHaveLength(1);
});

test('[static.setuid] functions of a program that cannot be entered are waited for no more, those of others are', async () => {
  const trace = new TraceState({ whyUndecided: () => null, refusalOf: () => null });
  const loaded = [{ units: ['program', 'library'] }];
  const search = new PatternSearch(
    trace,
    async (_request, units) => functionsOf(units.flatMap((one) => one.units)),
    () => loaded,
  );
  await search.add([patternRequest('f')]);
  const rest = {
    sessionId: sessionId('s'),
    removed: [],
    watches: [],
    eventLimit: null,
    tookMs: null,
  };
  const waiting = (): unknown =>
    trace.report(new Set(), { ...rest, warnings: [], inside: [] }).patterns[0]?.waiting;
  const library = { module: 'library', functions: 1 };
  expect(waiting()).toEqual([{ module: 'program', functions: 1 }, library]);
  trace.close('program');
  expect(waiting()).toEqual([library]);
  expect(trace.summary().waiting).toBe(1);
});
