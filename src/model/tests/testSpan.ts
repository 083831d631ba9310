import type { SessionNs } from '../ids.ts';

/** Where a test's events lie in a traced session: within a time, on threads of its own, or marked one by one. */
export type TestSpan =
  | {
      readonly kind: 'time';
      readonly test: string;
      readonly pid: number;
      readonly from: SessionNs;
      /** Null: it did not end. */
      readonly to: SessionNs | null;
    }
  | { readonly kind: 'thread'; readonly test: string; readonly threadName: string }
  /** On these threads of one process. */
  | {
      readonly kind: 'threads';
      readonly test: string;
      readonly pid: number;
      readonly threadNames: readonly string[];
    }
  /** Its calls say so. */
  | { readonly kind: 'strand'; readonly test: string; readonly strand: string };

/** The test an event belongs to; null when it belongs to none. */
export function testAt(spans: readonly TestSpan[], event: Event): string | null {
  return spans.find((span) => isIn(span, event))?.test ?? null;
}

interface Event {
  readonly time: SessionNs;
  readonly pid: number;
  readonly threadName: string | null;
  readonly strand?: { readonly name: string };
}

function isIn(span: TestSpan, { time, pid, threadName, strand }: Event): boolean {
  switch (span.kind) {
    case 'thread':
      return span.threadName === threadName;
    case 'threads':
      return span.pid === pid && threadName !== null && span.threadNames.includes(threadName);
    case 'strand':
      return span.strand === strand?.name;
    case 'time':
      return span.pid === pid && time >= span.from && (span.to === null || time <= span.to);
  }
}
