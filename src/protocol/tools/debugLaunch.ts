import { z } from 'zod';
import { exitAnswer, hooksAnswer, nextStepsAnswer, stateAnswer } from './answers.ts';
import { patternParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

const stdin = z
  .union([
    z.enum(['open', 'closed']),
    z.strictObject({ text: z.string().max(4_000_000) }),
    z.strictObject({ file: z.string().min(1) }),
    z.strictObject({ base64: z.base64().max(6_000_000) }),
  ])
  .default('closed')
  .describe('"open": written later by debug_session input. A file is read, not written.');

const patterns = z.array(patternParameter).max(64).default([]);

const redact = z
  .boolean()
  .default(true)
  .describe('false: also capture values whose names look like secrets (password, api key…).');

const requestId = z
  .string()
  .min(1)
  .max(200)
  .describe('The same id within 10 minutes returns the session of the first call.')
  .exactOptional();

const whenYouGo = z.enum(['stop', 'detach', 'keep']);

const launch = z.strictObject({
  command: z.string().min(1).max(4096).describe('Program: a path, or a name on the PATH.'),
  args: z.array(z.string()).max(10_000).default([]),
  cwd: z.string().min(1).describe('Default: your own working directory.').exactOptional(),
  env: z.record(z.string().min(1), z.string()).default({}).describe('Variables to add or change.'),
  envMode: z
    .enum(['merge', 'replace'])
    .default('merge')
    .describe('"replace": nothing but env is passed on.'),
  stdin,
  tty: z
    .boolean()
    .default(false)
    .describe(
      'Run it in a terminal of its own (size from COLUMNS and LINES in env, else 80x24): colours, prompts, full-screen programs. stdout and stderr become one stream; debug_session input types into it ("\\u0003" is Ctrl-C).',
    ),
  projectRoot: z
    .string()
    .min(1)
    .describe('Absolute path of the sources; decides what @usercode means.'),
  patterns: patterns.describe(
    'Traced from the first instruction: "bank::*", "*::draw", "@usercode", "@file:src/*.cpp".',
  ),
  redact,
  follow: z
    .enum(['all', 'none'])
    .default('all')
    .describe(
      'all: patterns reach programs it executes, too; setuid programs (sudo) then run without their privilege, unless you are root.',
    ),
  onClientExit: whenYouGo
    .describe(
      'When you go: end the program, let it run untraced, or go on capturing. Default stop (command line: keep).',
    )
    .exactOptional(),
  requestId,
});

const attach = z.strictObject({
  pid: z.int().min(1).describe('A process of yours that runs already: observed from now on.'),
  projectRoot: z
    .string()
    .min(1)
    .describe('Absolute path of the sources. Default: the project its program lies in.')
    .exactOptional(),
  patterns: patterns.describe('Traced from now on.'),
  redact,
  onClientExit: whenYouGo
    .describe(
      'When you go: end the program, let it go as it was, or go on capturing. Default detach.',
    )
    .exactOptional(),
  requestId,
});

const core = z.strictObject({
  core: z.string().min(1).describe('A core file: nothing is started, its crash is explained.'),
  command: z.string().min(1).max(4096).describe('The program that left it.'),
  cwd: z.string().min(1).describe('Default: your own working directory.').exactOptional(),
  projectRoot: z.string().min(1).describe('Absolute path of the sources.'),
  redact,
});

const input = z.union([launch, attach, core]);

/** What is told of a program that was just started. */
export const launchAnswer = z.looseObject({
  sessionId: z.string(),
  pid: z.number().nullable(),
  state: stateAnswer,
  exit: exitAnswer.nullable(),
  runtime: z.string(),
  projectRoot: z.string(),
  debugInfo: z.looseObject({
    found: z.array(z.string()).describe('Modules with types and lines.'),
    missing: z.array(z.string()).describe('Modules of the project without.'),
    advice: z.string().nullable().describe('How to build with debug information.'),
  }),
  pendingPatternsApplied: z.number(),
  hooks: hooksAnswer,
  outputTail: z.array(z.string()).describe('What it wrote, when it ended at once.'),
  notes: z.array(z.string()),
  nextSteps: nextStepsAnswer,
});

export const debugLaunch = defineTool({
  name: 'debug_launch',
  title: 'Launch a program under observation',
  description: `Starts a program and observes it, or attaches to one that runs (\`pid\`), or explains the \`core\` file of one that died. stdout and stderr are always captured; functions matching \`patterns\` are traced from before the static constructors and main. Answers at once with the session id; the program runs on.

Use it instead of running the program in a shell when you want to see what it does: no recompilation, no log statements. Begin without patterns when you do not know yet where to look: read the output first, then widen the trace with debug_trace while it runs. For types, values and @usercode the program needs debug information (-g); the answer says what is missing and how to build it.

Patterns: * = any characters except ::, ** = any characters, @usercode = functions whose source lies in projectRoot, @file:src/*.cpp = functions of these files. A pattern without :: matches the unqualified name too.

Example: {"command": "./build/server", "args": ["--port", "8080"], "projectRoot": "/home/me/server", "patterns": ["net::*"]}

With \`pid\` instead of \`command\` the process runs on undisturbed: hooks are set and its output is copied from then on. debug_session detach leaves it as it was.

A repeated call with the same requestId never starts a second process.`,
  input,
  variant: { by: { launch: 'command', attach: 'pid', core: 'core' } },
  output: launchAnswer,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  cli: [
    {
      command: 'launch',
      variant: 'launch',
      rest: { first: 'command', others: 'args' },
      defaults: { projectRoot: 'projectRoot', onClientExit: 'keep' },
      examples: [
        'launch -- ./build/app --verbose',
        "launch --patterns 'audio::*' --stdin open -- ./player song.wav",
      ],
    },
    {
      command: 'core',
      variant: 'core',
      title: 'Explain a core file',
      word: 'core',
      defaults: { projectRoot: 'projectRoot' },
      examples: ['core core.4711 --command ./build/app'],
    },
    {
      command: 'attach',
      variant: 'attach',
      title: 'Observe a process that runs already',
      word: 'pid',
      flags: { patterns: 'trace' },
      examples: ['attach 4711', "attach 4711 --trace 'net::*'"],
    },
  ],
});
export type DebugLaunchInput = z.output<typeof input>;
export type LaunchInput = z.output<typeof launch>;
export type AttachInput = z.output<typeof attach>;
export type DebugLaunchOutput = z.output<typeof launchAnswer>;
