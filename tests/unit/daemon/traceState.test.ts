import { expect, test } from 'vitest';
import { TraceState } from '../../../src/daemon/tracing/traceState.ts';
import { patternRequest } from '../../../src/daemon/tracing/patternRequest.ts';

test('[daemon.adopts] what is expected for one reason stays so after another has passed, each pattern once', () => {
  const trace = new TraceState({ whyUndecided: () => null, refusalOf: () => null });
  const left = trace.expect([patternRequest('a'), patternRequest('b')]);
  {
    using _ = trace.expect([patternRequest('b'), patternRequest('c')]);
    expect(trace.requests.map(({ asked }) => asked.pattern)).toEqual(['a', 'b', 'c']);
  }
  expect(trace.requests.map(({ asked }) => asked.pattern)).toEqual(['a', 'b']);
  left[Symbol.dispose]();
  expect(trace.requests).toEqual([]);
});
