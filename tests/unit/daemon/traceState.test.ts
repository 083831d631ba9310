import { expect, test } from 'vitest';
import { TraceState } from '../../../src/daemon/tracing/traceState.ts';

test('[daemon.adopts] what is expected for one reason stays so after another has passed, each pattern once', () => {
  const trace = new TraceState();
  const left = trace.expect([{ pattern: 'a' }, { pattern: 'b' }]);
  {
    using _ = trace.expect([{ pattern: 'b' }, { pattern: 'c' }]);
    expect(trace.requests.map(({ pattern }) => pattern)).toEqual(['a', 'b', 'c']);
  }
  expect(trace.requests.map(({ pattern }) => pattern)).toEqual(['a', 'b']);
  left[Symbol.dispose]();
  expect(trace.requests).toEqual([]);
});
