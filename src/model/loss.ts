/** Every way something can be missing from the index. The sum per cause travels with each answer. */
export const lossCauses = {
  ringOverwritten: 'the ring was overwritten before it was read',
  torn: 'a record was reserved but never completed',
  noRing: 'no ring was free for the thread (setting ring.slots)',
  noForkedRing: 'a forked process could have no ring',
  noMemory: 'no shared memory was left for a ring',
  forbidden: 'a seccomp filter that the program set forbids what room for the record takes',
  unpaired: 'the end of a call whose beginning was lost',
  badRecord: 'a record could not be decoded',
  undefinedFunction: 'a function of which its process left no definition',
  definitionUnread: 'definitions of a process that are damaged, or were not finished',
  outputBurst: 'an attached process wrote faster than its output was read',
  outputLimit: 'lines of output that went when the limit of the session was reached',
  outputUnkept: 'bytes of output that the disk or the log did not take',
  factsUnkept: 'programs begun and processes ended that a full disk did not take',
  writesMissed: 'writes to a watched place came faster than they were read',
  untraced:
    'milliseconds in which the program ran without hooks, as a daemon or host had ended or another debugger held it',
  eventLimit: 'the event limit of the session was reached',
} as const;

export type LossCause = keyof typeof lossCauses;

/** Those that are not counted in events. */
const otherUnits: ReadonlySet<string> = new Set<LossCause>([
  'definitionUnread',
  'outputBurst',
  'outputLimit',
  'outputUnkept',
  'factsUnkept',
  'writesMissed',
  'untraced',
]);

/** The causes that events are lost by. */
export function eventLosses(
  byCause: Readonly<Partial<Record<LossCause, number>>>,
): readonly (readonly [cause: string, count: number])[] {
  return Object.entries(byCause).filter(([cause, count]) => count > 0 && !otherUnits.has(cause));
}

/** Honest figures for one session. `seen = stored + lost + sampled` for call events. */
export interface Counters {
  /** Enter and exit events that the target produced. */
  readonly seen: number;
  readonly stored: number;
  readonly lost: number;
  /** Of calls that were counted and not recorded, see model/trace `Sampling`. */
  readonly sampled: number;
  readonly byCause: Readonly<Partial<Record<LossCause, number>>>;
}
