import type { SessionNs } from '../ids.ts';

/** Where a test's events lie in a traced session: within a time, or on a thread of its own. */
export type TestSpan =
  | {
      readonly kind: 'time';
      readonly test: string;
      readonly pid: number;
      readonly from: SessionNs;
      /** Null: it did not end. */
      readonly to: SessionNs | null;
    }
  | { readonly kind: 'thread'; readonly test: string; readonly threadName: string };

/** The test an event belongs to; null when it belongs to none. */
export function testAt(
  spans: readonly TestSpan[],
  event: { readonly time: SessionNs; readonly pid: number; readonly threadName: string | null },
): string | null {
  const found = spans.find((span) =>
    span.kind === 'thread'
      ? span.threadName === event.threadName
      : span.pid === event.pid &&
        event.time >= span.from &&
        (span.to === null || event.time <= span.to),
  );
  return found?.test ?? null;
}
