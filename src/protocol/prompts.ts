/** A parameter of a prompt. */
export interface PromptArgument {
  readonly name: 'command' | 'symptom' | 'sessionId' | 'function' | 'projectRoot' | 'test';
  readonly description: string;
  readonly required: boolean;
}

/** A task that a user picks, written out for a model. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  text(given: Readonly<Partial<Record<PromptArgument['name'], string>>>): string;
}

const sessionId: PromptArgument = {
  name: 'sessionId',
  description: 'Session to look at. Default: the most recent one.',
  required: false,
};

function of(session: string | undefined): string {
  return session === undefined || session === '' ? '' : `, "sessionId": "${session}"`;
}

/** What clients offer as commands. */
export const prompts: readonly Prompt[] = [
  {
    name: 'find-the-bug',
    title: 'Find the bug',
    description: 'Launch a program, read what it does and narrow the trace down to the cause.',
    arguments: [
      { name: 'command', description: 'Program to run, with its arguments.', required: true },
      { name: 'symptom', description: 'What goes wrong.', required: true },
    ],
    text: ({ command = '', symptom = '' }) =>
      `Find out why this happens: ${symptom}
Program: ${command}
Read the code and name the functions you suspect. Launch the program with debug_launch, with patterns for these functions, and wait for its exit. Read debug_query {"view": "output"}, then {"view": "tree"}, then {"view": "events"} with filters on arguments and results, until one call shows the wrong value. Trace its callees or callers until you know the line. Quote the call that proves it, then fix the source.`,
  },
  {
    name: 'why-slow',
    title: 'Why is it slow?',
    description: 'Find the functions and calls that take the time.',
    arguments: [
      sessionId,
      { name: 'function', description: 'Function or pattern to begin with.', required: false },
    ],
    text: ({ sessionId: session, function: name }) =>
      `Find out what takes the time. Read debug_query {"view": "stats", "sortBy": "self"${of(session)}}, then {"view": "tree", "selfTime": true${name ? `, "root": "${name}"` : ''}${of(session)}}. Look at the slowest calls with {"view": "events", "minDurationNs": …}, compare their arguments with those of fast ones, and say what differs.`,
  },
  {
    name: 'why-crashed',
    title: 'Why did it crash?',
    description: 'Explain the end of a program from its stack, values and last calls.',
    arguments: [sessionId],
    text: ({ sessionId: session }) =>
      `Explain why the program died. Read debug_query {"view": "crash"${of(session)}}. If the value at fault was made earlier, launch it again with patterns for the functions on the stack and follow the value back through debug_query {"view": "tree"} to the call that made it.`,
  },
  {
    name: 'why-stuck',
    title: 'Why is it stuck?',
    description: 'Find out what a running program waits for.',
    arguments: [sessionId],
    text: ({ sessionId: session }) =>
      `Find out what the program waits for. Read debug_session {"action": "status"${of(session)}}: what each thread does or waits for, with its stack, and deadlocks. Read debug_query {"view": "tree", "timeFrom": "-10s"${of(session)}} for the calls that have not returned.`,
  },
  {
    name: 'explain-failing-test',
    title: 'Explain a failing test',
    description: 'Run a test, compare it with a passing one and name the faulty function.',
    arguments: [
      { name: 'projectRoot', description: 'Absolute path of the project.', required: true },
      { name: 'test', description: 'Name of the test, or a unique part.', required: false },
    ],
    text: ({ projectRoot = '', test }) =>
      `Explain why the test fails: debug_test {"action": "run", "projectRoot": "${projectRoot}"${test ? `, "test": "${test}"` : ''}, "diagnose": true}. Name the function that returns the wrong value, with file and line, quote the call that shows it, then fix the source and run the test again.`,
  },
];
