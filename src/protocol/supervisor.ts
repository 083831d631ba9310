/**
 * What passes between a supervisor and the daemon, declared here once; `npm run generate` derives
 * native/supervisor/wire.h from it. All numbers are little-endian.
 *
 * Launch spec (the descriptor of the first number after the folder, until EOF)
 *   fixed part, then path, cwd, argv…, env… each as u32 length · bytes · NUL
 *
 * Launch answer (of the second, one struct): target's pid, or stage and errno of what failed
 *
 * Output log (`<session folder>/output.log`): records back to back, never rewritten
 *   head (16 bytes)  0 length u32 · 4 type u8 · 5 zero [3] · 8 CLOCK_MONOTONIC ns u64
 *   payload          `length` bytes
 *   Invariant: a record is complete once `length` bytes follow its head; a record cut short at
 *   the end of the file may be taken back and written again, so a reader keeps only complete ones.
 *
 * Socket (`<session folder>/supervisor.sock`): frames u32 length · u8 type · payload, both ways;
 *   length counts type and payload. Every request begins with a u32 number that its answer repeats.
 *   A new connection replaces the one before.
 *
 * Last words (`<session folder>/supervisor.err`): text, at most about 4 KB; gone with a supervisor that had none
 */
export const supervisorWire = {
  version: 4,
  specMagic: 0x4b505253, // "SRPK"
  maxSpecBytes: 8 << 20,
  maxFrameBytes: 128 << 10,
  /** Payload bytes of one input frame; the supervisor holds one at a time. */
  maxInputBytes: 64 << 10,
  /** Payload bytes of one output record at most. */
  maxOutputBytes: 64 << 10,
  /** Sent to a supervisor with its caller's terminal, with a signal's number added: to be passed on to the target. */
  forwardSignal: 34,
  noNice: 0x7fffffff,
  limits: 16,
  /** Longest path a unix socket may have. */
  maxSocketPath: 107,
  /** How long the supervisor of an ended tree waits for a daemon. */
  lingerMs: 60_000,
  /** A program stands at its start for so long until the daemon has decided, then it runs. */
  decideMs: 10_000,
  /** A process held at its exec waits so long to be resumed. */
  holdMs: 60_000,
  /** Path and arguments of one program, told together, at most. */
  maxProgramBytes: 4096,
} as const;

/** Fixed part of the launch spec: byte offsets. */
export const supervisorSpec = {
  magic: 0,
  version: 4,
  flags: 8,
  stdin: 12,
  /** Unclaimed at its exec stop for this long, the target is let go; 0 = never. */
  releaseMs: 16,
  /** umask of the target; 0xffffffff = the supervisor's own. */
  umask: 20,
  /** Output bytes kept in the log; what comes after is read, counted and not kept. */
  maxLogBytes: 24,
  argCount: 32,
  envCount: 36,
  /** Size of the pseudo-terminal. */
  columns: 40,
  rows: 44,
  /** Bit n-1: signal n is ignored in the target (nohup). */
  ignoredSignals: 48,
  /** Bit n: of an inherited 0 to 2, n is closed. */
  closedStreams: 52,
  /** Niceness, i32; noNice = the supervisor's own. */
  nice: 56,
  limitCount: 60,
  /** soft u64 · hard u64, by number of the limit (getrlimit(2)). */
  limits: 64,
  bytes: 320,
} as const;

export const supervisorSpecFlag = {
  /** Leave the target stopped at its exec, for a host to attach. */
  stopAtExec: 1,
  /** The target gets all open descriptors of the supervisor and stays in its process group; output is not captured. */
  inherit: 2,
  /** The target gets a pseudo-terminal of its own as fds 0–2; what comes out of it is logged as stdout. */
  terminal: 4,
  /** Programs that the tree executes are told, and held when the daemon wants. */
  follow: 8,
} as const;

export const supervisorStdin = { closed: 0, open: 1 } as const;

/** Launch answer: byte offsets. `startedNs` is CLOCK_MONOTONIC. */
export const supervisorAnswer = {
  stage: 0,
  errno: 4,
  supervisorPid: 8,
  targetPid: 12,
  startedNs: 16,
  bytes: 24,
} as const;

/** What failed. `spec` and `setup` are the supervisor's own; `trace` is PTRACE_TRACEME. */
export const supervisorStage = {
  none: 0,
  spec: 1,
  setup: 2,
  fork: 3,
  stdio: 4,
  chdir: 5,
  trace: 6,
  exec: 7,
} as const;

/**
 * A traced process whose execs are asked about has its soft stack limit raised, for what tracing takes of its stack;
 * what it executes gets the limit it would have alone. A limit that ends so was raised: others are whole pages.
 */
export const stackRoom = { bytes: (96 << 20) + 0x5a8, mark: 0x5a8, markMask: 0xfff } as const;

export const execFlag = {
  /** A setuid or setgid program, or one with capabilities: it runs without them. */
  unprivileged: 1,
} as const;
/** In an `exited` record: the process ended, its status is not known. No wait status is this. */
export const unknownStatus = 0xffffffff;

export const logHead = { length: 0, type: 4, time: 8, bytes: 16 } as const;

export const logType = {
  stdout: 1,
  stderr: 2,
  /** pid u32 */
  started: 3,
  /** errno u32 · stage u32 */
  execFailed: 4,
  /** pid u32 · wait status u32 */
  exited: 5,
  /** stream u32: 1 stdout, 2 stderr */
  closed: 6,
  /** tsc u64, read together with the head's time */
  clock: 7,
  /** The whole tree is gone; nothing follows. */
  ended: 8,
  /** Output bytes that could not be kept, u64, just before this place. */
  lost: 9,
  /** A process runs another program: pid u32 · parent u32 · flags u32 · program (path, then argv, each with a NUL) */
  exec: 10,
  /** A process that was seen without an exec of its own: pid u32 · parent u32 · program */
  forked: 11,
  /** A process ended and nobody saw its status: pid u32 */
  gone: 12,
  /** Whether execs are followed: errno u32 (0 = yes) · no_new_privs u32 */
  follow: 13,
  /** The supervisor was killed and its standby took over: its pid u32. */
  failover: 14,
  /** What following has cost so far: programs executed u32 · zero u32 · ns that their callers waited, u64 */
  waited: 15,
  /** Facts that could not be kept, u64, before this place. */
  unkept: 16,
  /** A program that may have been meant was not held: pid u32 · errno u32: ETIMEDOUT the daemon did not answer, EPERM another traces it */
  unasked: 17,
} as const;

/** Daemon → supervisor; each payload begins with the request's number u32. */
export const supervisorRequest = {
  /** nothing, or pid u32 (0: the target) · runs u32 (1: a host let it go already, it is sent no SIGCONT) */
  resume: 1,
  /** bytes; answered when the pipe has taken them all (EPIPE: closed, EAGAIN: another is waiting) */
  input: 2,
  inputEof: 3,
  /** signal u32 · scope u32 */
  signal: 4,
  /** Answered by `clock`; also written to the log. */
  clock: 5,
  /** End as soon as the tree has ended. */
  quit: 6,
  /** Output is read and thrown away from now on. */
  forget: 7,
  /** question's number u32 · decision u32; ENOENT: it runs already */
  decide: 8,
  /** ask u32: 1 = each new program is asked about, 0 = all run at once; what waits is let go then */
  ask: 9,
  /** Looks for processes that were never told, and writes them to the log. */
  scan: 10,
  /** pid u32 · words, each `name=value` NUL: of a process that stands at its start; ESRCH: none does, E2BIG: it has too many */
  environ: 11,
  /** pid u32 · stands u32: 1 = it is stopped (SIGSTOP), and continued should the daemon go; 0 = the daemon sees to it. EBUSY: another stands */
  stand: 12,
} as const;

export const supervisorDecision = {
  go: 0,
  hold: 1,
  /** As `go`, and its file is not asked about again until the next `ask`. */
  pass: 2,
} as const;

export const supervisorScope = { target: 0, tree: 1 } as const;

/** Supervisor → daemon. */
export const supervisorEvent = {
  /** version u32 · supervisorPid u32 · targetPid u32 · state u32 · stdin u32 · status u32 · startedNs u64 · logSize u64; first on each connection */
  hello: 1,
  /** log size u64 */
  grown: 2,
  /** request u32 · errno u32 */
  done: 3,
  /** request u32 · zero u32 · tsc u64 · ns u64 */
  clock: 4,
  /** state u32 · stdin u32 · status u32 */
  state: 5,
  /** question's number u32 · pid u32 · parent u32 · program, which stands at its first instruction until `decide` */
  exec: 6,
  /** question's number u32 · pid u32 · errno u32: 0 = it stands there until it is resumed, else it runs */
  held: 7,
} as const;

/** `status` is the target's wait status once it has exited. */
export const supervisorState = { stopped: 0, running: 1, exited: 2, ended: 3 } as const;
