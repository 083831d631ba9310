import { z } from 'zod';
import { exitAnswer, hooksAnswer, nextStepsAnswer, stateAnswer } from './answers.ts';
import { serializationDepthParameter, launchPattern } from './parameters.ts';
import { defineTool } from './tool.ts';

const stdin = z
  .union([
    z.enum(['open', 'closed']),
    z.strictObject({ text: z.string().max(4_000_000) }).meta({ told: [] }),
    z.strictObject({ file: z.string().min(1) }).meta({ told: [] }),
    z.strictObject({ base64: z.base64().max(6_000_000) }).meta({ told: [] }),
  ])
  .default('closed')
  .describe('"open": written later by debug_session input. Else {text}, {file} or {base64}.');

const patterns = z
  .array(launchPattern)
  .max(64)
  .default([])
  .describe('Traced from the first instruction on; of a pid from now on.');

const projectRoot = z
  .string()
  .min(1)
  .describe('Absolute path of the sources (@usercode). Default with pid: where its program lies.');

const redact = z
  .boolean()
  .default(true)
  .describe('false: also values whose names look like secrets.');

const requestId = z
  .string()
  .min(1)
  .max(200)
  .describe('The same within 10 minutes: the same session.')
  .exactOptional();

const onClientExit = z
  .enum(['stop', 'detach', 'keep'])
  .describe(
    'When you go: end it, let it run untraced, go on capturing. Default stop (CLI: keep); with pid detach.',
  )
  .exactOptional();

/** One call for a program that does not run long. */
const following = {
  waitFor: z
    .enum(['exit', 'output', 'event', 'idle'])
    .describe('Answer when this happens, or after waitMs; default: at once (with view: exit).')
    .exactOptional(),
  waitMs: z
    .int()
    .min(0)
    .max(50_000)
    .describe('How long waitFor waits (default 10000).')
    .exactOptional(),
  view: z
    .enum(['events', 'tree', 'stats', 'output', 'crash'])
    .describe('Answer with this view of debug_query, too.')
    .exactOptional(),
};

const launch = z.strictObject({
  command: z.string().min(1).max(4096).describe('A path, or a name on the PATH.'),
  args: z.array(z.string()).max(10_000).default([]),
  cwd: z.string().min(1).describe('Default: your own working directory.').exactOptional(),
  env: z.record(z.string().min(1), z.string()).default({}).describe('Variables to add or change.'),
  envMode: z.enum(['merge', 'replace']).default('merge').describe('"replace": nothing but env.'),
  stdin,
  tty: z
    .boolean()
    .default(false)
    .describe(
      'A terminal of its own (env COLUMNS, LINES): stdout and stderr are one stream; debug_session input types (Ctrl-C: "\\u0003").',
    ),
  projectRoot,
  patterns,
  serializationDepth: serializationDepthParameter,
  redact,
  follow: z
    .enum(['all', 'none'])
    .default('all')
    .describe(
      'all: patterns reach programs it executes; setuid ones (sudo) lose their privilege unless you are root.',
    ),
  onClientExit,
  requestId,
  ...following,
});

const attach = z.strictObject({
  pid: z.int().min(1).describe('A process that runs already.'),
  projectRoot: projectRoot.exactOptional(),
  patterns,
  serializationDepth: serializationDepthParameter,
  redact,
  onClientExit,
  requestId,
  ...following,
});

const core = z.strictObject({
  core: z.string().min(1).describe('A core file.'),
  command: z.string().min(1).max(4096),
  cwd: z.string().min(1).describe('Default: your own working directory.').exactOptional(),
  projectRoot,
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
  waited: z.looseObject({}).describe('With waitFor: as of debug_session wait.').exactOptional(),
  answer: z.looseObject({}).describe('With view: as of debug_query.').exactOptional(),
});

export const debugLaunch = defineTool({
  name: 'debug_launch',
  title: 'Launch a program under observation',
  description: `Starts a program and observes it: use it instead of a shell to see what a program does, without recompiling. stdout and stderr are always captured; functions matching \`patterns\` are traced from before static constructors and main. Answers at once; the program runs on. A short program in one call: "waitFor": "exit", "view": "events".

Not sure what to look at? Begin without patterns, read the output, widen with debug_trace. Types, values and @usercode need debug information (-g).

Patterns: "bank::*", "*::draw", "@usercode" = functions whose source lies in projectRoot; see debug_trace.

Example: {"command": "./build/server", "args": ["--port", "8080"], "projectRoot": "/home/me/server", "patterns": ["net::*"]}

With \`pid\` instead of \`command\` it attaches to a process, which runs on undisturbed. \`core\` explains the core file that a program (\`command\`) left.`,
  input,
  variant: { by: { launch: 'command', attach: 'pid', core: 'core' } },
  variantsTold: [
    'command',
    'pid',
    'core',
    'args',
    'cwd',
    'env',
    'envMode',
    'stdin',
    'tty',
    'patterns',
    'follow',
    'onClientExit',
    'requestId',
    'waitFor',
    'waitMs',
    'view',
  ],
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
      flags: { patterns: 'trace' },
      defaults: { projectRoot: 'projectRoot', onClientExit: 'keep' },
      examples: [
        'launch -- ./build/app --verbose',
        "launch --trace 'audio::*' --stdin open -- ./player song.wav",
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
