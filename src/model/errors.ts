/** Who has to act: fix the arguments, wait or change state, the program, the machine, or us. */
export type ErrorKind = 'caller' | 'state' | 'target' | 'environment' | 'bug';

interface ErrorRow {
  readonly kind: ErrorKind;
  /** What it means, for the generated page. */
  readonly meaning: string;
  /** The usual next step; a thrower may give a better one. */
  readonly hint: string;
  readonly retryable: boolean;
}

/** The one error table. Codes are stable; docs/errors.md is generated from it. */
export const errors = {
  UNKNOWN_PARAMETER: {
    kind: 'caller',
    meaning: 'The tool has no such parameter.',
    hint: 'Use the name suggested.',
    retryable: false,
  },
  BAD_PARAMETER: {
    kind: 'caller',
    meaning: 'Invalid parameter value.',
    hint: 'Use a value that the message allows.',
    retryable: false,
  },
  NOT_STOPPED: {
    kind: 'state',
    meaning: 'No thread is stopped there.',
    hint: 'Stop one: debug_continue {"action":"pause"}, or set a breakpoint.',
    retryable: false,
  },
  STALE_STOP: {
    kind: 'state',
    meaning: 'The stop was left.',
    hint: 'Use the present stop, which the message names.',
    retryable: false,
  },
  NO_LINE: {
    kind: 'state',
    meaning: 'A step has no line to lead to.',
    hint: 'Step out, or by one instruction.',
    retryable: false,
  },
  CANNOT_DEBUG: {
    kind: 'environment',
    meaning: 'The threads of this process cannot be stopped.',
    hint: 'Allow ptrace (kernel.yama.ptrace_scope, the rules of a container), or record with "log" or "capture", which needs none.',
    retryable: false,
  },
  CHANNEL_UNAVAILABLE: {
    kind: 'environment',
    meaning: 'This way in or out of the program cannot be used here.',
    hint: 'debug_channel {"action":"list"} says what each needs.',
    retryable: false,
  },
  UNKNOWN_TOOL: {
    kind: 'caller',
    meaning: 'There is no such tool.',
    hint: 'Use one of the listed tools.',
    retryable: false,
  },
  PROGRAM_NOT_FOUND: {
    kind: 'caller',
    meaning: 'The command does not exist or is not on the PATH.',
    hint: 'Give an absolute path, or build the program first.',
    retryable: false,
  },
  NOT_EXECUTABLE: {
    kind: 'caller',
    meaning: 'The command is not an executable file.',
    hint: 'Make it executable (chmod +x) or name the program that runs it.',
    retryable: false,
  },
  WRONG_ARCHITECTURE: {
    kind: 'environment',
    meaning: 'The program is built for another processor.',
    hint: 'Build it for this machine.',
    retryable: false,
  },
  NO_SUCH_DIRECTORY: {
    kind: 'caller',
    meaning: 'cwd or projectRoot is not a folder that can be entered.',
    hint: 'Give an existing folder.',
    retryable: false,
  },
  EXEC_FAILED: {
    kind: 'target',
    meaning: 'The kernel refused to start the program.',
    hint: 'Start it in a shell to see the same error.',
    retryable: false,
  },
  UNKNOWN_SESSION: {
    kind: 'caller',
    meaning: 'No session has this id.',
    hint: 'debug_session {"action":"list"} shows them.',
    retryable: false,
  },
  NO_SESSION: {
    kind: 'state',
    meaning: 'This client has no session.',
    hint: 'Start one with debug_launch.',
    retryable: false,
  },
  AMBIGUOUS_SESSION: {
    kind: 'caller',
    meaning: 'Several sessions match.',
    hint: 'Give sessionId.',
    retryable: false,
  },
  NOT_OWNER: {
    kind: 'state',
    meaning: 'The session belongs to another client.',
    hint: 'Add "takeOver": true to use it anyway.',
    retryable: false,
  },
  SESSION_ENDED: {
    kind: 'state',
    meaning: 'The program has ended; it can no longer be changed.',
    hint: 'Query what was captured, or launch it again.',
    retryable: false,
  },
  SESSION_RUNNING: {
    kind: 'state',
    meaning: 'The program of the session still runs.',
    hint: 'End it first: debug_session {"action":"stop"}.',
    retryable: false,
  },
  NOT_RESTARTABLE: {
    kind: 'state',
    meaning: 'The session cannot be restarted: Strobe did not start it, or no longer knows how.',
    hint: 'Launch the program again with debug_launch.',
    retryable: false,
  },
  NO_SUCH_PROCESS: {
    kind: 'caller',
    meaning: 'No process has this pid.',
    hint: 'Find it: pgrep -f NAME.',
    retryable: false,
  },
  NOT_ATTACHABLE: {
    kind: 'target',
    meaning: 'This process cannot be attached to.',
    hint: 'Launch the program with debug_launch instead.',
    retryable: false,
  },
  ALREADY_OBSERVED: {
    kind: 'state',
    meaning: 'The process is observed already, by a session or by a debugger.',
    hint: 'Use that session, or detach it first.',
    retryable: false,
  },
  STATIC_PROGRAM: {
    kind: 'target',
    meaning:
      'A statically linked program whose C library or version of Go is not known cannot be traced.',
    hint: 'Link it dynamically for debugging; output and exit status are captured all the same.',
    retryable: false,
  },
  BAD_BINARY: {
    kind: 'target',
    meaning: 'A program file or its debug information is damaged, or in an unsupported format.',
    hint: 'What could be read is used; rebuild the program if functions are missing.',
    retryable: false,
  },
  TOO_MANY_MATCHES: {
    kind: 'caller',
    meaning: 'A pattern matches more functions than the limit allows.',
    hint: 'Narrow the pattern, for example with a namespace or @file:path.',
    retryable: false,
  },
  BAD_PATTERN: {
    kind: 'caller',
    meaning: 'A function pattern cannot be read.',
    hint: 'Use names with * and **, @usercode or @file:path.',
    retryable: false,
  },
  BAD_EXPRESSION: {
    kind: 'caller',
    meaning: 'Invalid expression, or one that cannot be evaluated in this function.',
    hint: 'Use parameters, fields, numbers and "texts" with == != < <= > >= + - * / % & | && || !, len(), contains(), isNull(): size > 4096 && contains(name, "tmp").',
    retryable: false,
  },
  NOTHING_MATCHED: {
    kind: 'caller',
    meaning: 'A pattern matches no function.',
    hint: 'Try one of the nearest names.',
    retryable: false,
  },
  BAD_CURSOR: {
    kind: 'caller',
    meaning: 'The cursor is not one of this query.',
    hint: 'Repeat the query without cursor.',
    retryable: false,
  },
  BAD_SQL: {
    kind: 'caller',
    meaning: 'An SQL statement cannot be answered.',
    hint: 'Use one SELECT over calls, output, threads or functions.',
    retryable: false,
  },
  BAD_REGEX: {
    kind: 'caller',
    meaning: 'A regular expression cannot be read (RE2 syntax).',
    hint: 'Correct it; look-around and back references do not exist in RE2.',
    retryable: false,
  },
  STDIN_CLOSED: {
    kind: 'state',
    meaning: 'The program does not read this input.',
    hint: 'Launch it with "stdin": "open".',
    retryable: false,
  },
  INSTRUMENTATION_FAILED: {
    kind: 'target',
    meaning: 'The tracing agent could not be put into the program.',
    hint: 'See the detail; `strobe doctor` checks the machine.',
    retryable: true,
  },
  PTRACE_DENIED: {
    kind: 'environment',
    meaning: 'The kernel forbids attaching to the process.',
    hint: 'Set kernel.yama.ptrace_scope to 0 or 1, or run `strobe doctor`.',
    retryable: false,
  },
  FRIDA_MISSING: {
    kind: 'environment',
    meaning: 'Frida is not installed, and installing it failed.',
    hint: 'Run `strobe doctor`; it says which step failed.',
    retryable: true,
  },
  SETTING_UP: {
    kind: 'environment',
    meaning: 'This clone of Strobe is being set up; the message says how far it is.',
    hint: 'Send the same request again: the set-up continues by itself.',
    retryable: true,
  },
  SETUP_FAILED: {
    kind: 'environment',
    meaning: 'This clone of Strobe could not be set up.',
    hint: 'Run `./strobe version` in the clone; it says which step fails.',
    retryable: true,
  },
  TOOLCHAIN_MISSING: {
    kind: 'environment',
    meaning: 'A compiler needed for the native parts is missing.',
    hint: 'Install gcc (Debian: apt-get install build-essential).',
    retryable: false,
  },
  TRACER_LOST: {
    kind: 'target',
    meaning: 'The helper process that instruments this session exited; the program keeps running.',
    hint: 'Query what was captured; launch the program again to trace it further.',
    retryable: false,
  },
  SUPERVISOR_LOST: {
    kind: 'target',
    meaning: 'The process that supervises the program stopped responding.',
    hint: 'The session is over. Query what was captured, or launch the program again.',
    retryable: false,
  },
  DAEMON_UNREACHABLE: {
    kind: 'environment',
    meaning: 'The daemon does not answer on its socket.',
    hint: 'Run `strobe daemon status`, then `strobe daemon logs`.',
    retryable: true,
  },
  UNSAFE_HOME: {
    kind: 'environment',
    meaning: "Strobe's folder belongs to another user or is open to others.",
    hint: 'Correct owner and mode (0700), or set STROBE_HOME.',
    retryable: false,
  },
  HOME_READ_ONLY: {
    kind: 'environment',
    meaning: "Strobe's folder cannot be written.",
    hint: 'Make it writable, or set STROBE_HOME to a folder that is.',
    retryable: false,
  },
  PATH_TOO_LONG: {
    kind: 'environment',
    meaning: 'A unix socket path exceeds 107 bytes.',
    hint: 'Set STROBE_HOME to a shorter path.',
    retryable: false,
  },
  STORE_FAILED: {
    kind: 'environment',
    meaning: 'The session file cannot be written or read.',
    hint: 'Check the free space of the disk.',
    retryable: true,
  },
  TIMED_OUT: {
    kind: 'state',
    meaning: 'The request did not finish within its time limit.',
    hint: 'Try again with a longer limit.',
    retryable: true,
  },
  CANCELLED: {
    kind: 'caller',
    meaning: 'The client cancelled the request.',
    hint: 'Send it again if you still need it.',
    retryable: true,
  },
  FILE_EXISTS: {
    kind: 'caller',
    meaning: 'A file of that name already exists.',
    hint: 'Give another path.',
    retryable: false,
  },
  EXPORT_FAILED: {
    kind: 'environment',
    meaning: 'The export could not be written or sent; nothing of it was kept.',
    hint: 'Free disk space, or choose another path or fewer calls.',
    retryable: true,
  },
  NO_TEST_FRAMEWORK: {
    kind: 'caller',
    meaning: 'Strobe could not tell how the tests of the project are run.',
    hint: 'Add `framework`, or `command`.',
    retryable: false,
  },
  RUNNER_MISSING: {
    kind: 'environment',
    meaning: 'The test framework is not installed where the project would find it.',
    hint: 'Install it.',
    retryable: false,
  },
  UNKNOWN_TEST: {
    kind: 'caller',
    meaning: 'No test, or more than one, has this name.',
    hint: 'Give one of the names suggested.',
    retryable: false,
  },
  UNKNOWN_TEST_RUN: {
    kind: 'caller',
    meaning: 'No test run has this id.',
    hint: 'debug_test {"action":"list","projectRoot":"…"} shows them.',
    retryable: false,
  },
  TESTS_RUNNING: {
    kind: 'state',
    meaning: 'Tests of this project are running already.',
    hint: 'Wait for that run, cancel it, or add allowParallel: true.',
    retryable: true,
  },
  NO_STAGE: {
    kind: 'environment',
    meaning: 'The session has no display: a program for it is missing or did not start.',
    hint: 'Install what the message names, and launch with "ui": true.',
    retryable: false,
  },
  NO_WINDOW: {
    kind: 'state',
    meaning: 'The program shows no such window.',
    hint: 'Use a title that the message names.',
    retryable: true,
  },
  UNKNOWN_ELEMENT: {
    kind: 'caller',
    meaning: 'No element of the windows has this id.',
    hint: 'debug_ui {"action":"tree"} lists them.',
    retryable: false,
  },
  NOT_ACTIONABLE: {
    kind: 'state',
    meaning: 'The element is disabled, or cannot do this.',
    hint: 'debug_ui {"action":"tree"} shows its state.',
    retryable: true,
  },
  BAD_SETTING: {
    kind: 'caller',
    meaning: 'A setting is unknown or has a wrong value.',
    hint: 'See docs/settings.md.',
    retryable: false,
  },
  INTERNAL: {
    kind: 'bug',
    meaning: 'A bug in Strobe.',
    hint: 'Please report it with the reference; `strobe daemon logs` has the stack.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

/** A request that failed as a whole. `message` says what happened, `hint` the next step. */
export class StrobeError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint: string = errors[code].hint) {
    super(message);
    this.name = 'StrobeError';
    this.code = code;
    this.hint = hint;
  }

  get kind(): ErrorKind {
    return errors[this.code].kind;
  }

  /** One readable paragraph: code, what happened, what to do; further lines of a message are set in. */
  get text(): string {
    return `${this.code}: ${this.message.replaceAll('\n', '\n  ')}\nNext: ${this.hint}`;
  }
}

/** What happened, and the next step where it is known, as sentences of one line. */
export function sentencesOf(error: Error): string {
  return error instanceof StrobeError ? `${error.message} ${error.hint}` : error.message;
}
