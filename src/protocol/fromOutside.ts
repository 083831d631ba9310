/** Of fileHeader: what a ring file has that is written from outside. */
export const fromOutside = {
  /** The cycle counter when hooks were last removed; how many parts of rings were gone into. */
  removed: 120,
  parts: 128,
  /** Which of `ownCalls` filters forbid that the program set, by bit; the cycle counter when the last was set; entries that had no room because of that. */
  forbidden: 136,
  forbiddenAt: 144,
  lostForbidden: 152,
} as const;

/** The system calls that recording makes in a program which is traced from outside; the most frequent first. */
export const ownCalls = [
  'process_vm_readv',
  'futex',
  'madvise',
  'gettid',
  'prctl',
  'getpid',
  'sched_yield',
  'nanosleep',
  'kill',
  'tgkill',
  'sigaltstack',
  'arch_prctl',
  'clock_gettime',
  'utimensat',
] as const;

/** A bit beside theirs: the program was about to enter the strict mode, from where on nothing is recorded. */
export const forbidsAll = 31;
