import { z } from 'zod';
import { exitAnswer, hooksAnswer, nextStepsAnswer, stateAnswer } from './answers.ts';
import { launchBreakpoint } from './breakpoint.ts';
import { serializationDepthParameter, launchPattern } from './parameters.ts';
import { defineTool } from './tool.ts';

const stdin = z
  .union([
    z.enum(['open', 'closed']),
    z.strictObject({ text: z.string().max(4_000_000) }).meta({ told: ['text'] }),
    z.strictObject({ file: z.string().min(1) }).meta({ told: ['file'] }),
    z.strictObject({ base64: z.base64().max(6_000_000) }).meta({ told: ['base64'] }),
  ])
  .default('closed')
  .describe('"open" lets debug_session input write it.');

const patterns = z
  .array(launchPattern)
  .max(64)
  .default([])
  .describe('Trace from the start: "bank::*", "@usercode"; see debug_trace.');

const projectRoot = z
  .string()
  .min(1)
  .describe(
    'Absolute path of the sources; when attaching defaults to the folder of the executable.',
  );

const redact = z.boolean().default(true).describe('false also captures secrets.');

const requestId = z
  .string()
  .min(1)
  .max(200)
  .describe('The same key within 10 minutes starts nothing again.')
  .exactOptional();

const onClientExit = z
  .enum(['stop', 'detach', 'keep'])
  .describe('When your client disconnects (default: stop; attached: detach).')
  .exactOptional();

/** One call for a program that does not run long. */
const following = {
  waitFor: z
    .enum(['exit', 'output', 'event', 'idle'])
    .describe('Answer when this happens (with `view`: exit).')
    .exactOptional(),
  waitMs: z.int().min(0).max(50_000).describe('Default: 10000; with `next` 50000.').exactOptional(),
  view: z
    .enum(['events', 'tree', 'stats', 'output', 'crash'])
    .describe('Answer with this view of debug_query.')
    .exactOptional(),
};

const launch = z.strictObject({
  command: z.string().min(1).max(4096).describe('Path, or name on the PATH.'),
  args: z.array(z.string()).max(10_000).default([]),
  cwd: z.string().min(1).describe('Defaults to your working directory.').exactOptional(),
  env: z.record(z.string().min(1), z.string()).default({}).describe('Add these variables.'),
  envMode: z
    .enum(['merge', 'replace'])
    .default('merge')
    .describe('"replace" passes exactly `env`.'),
  stdin,
  tty: z
    .boolean()
    .default(false)
    .describe('Run in a pseudo-terminal; input is typed (Ctrl-C: "\\u0003").'),
  ui: z.boolean().default(false).describe('For debug_ui.'),
  projectRoot,
  patterns,
  breakpoints: z
    .array(launchBreakpoint)
    .max(32)
    .default([])
    .describe('Set before main: see debug_breakpoint.'),
  serializationDepth: serializationDepthParameter,
  redact,
  follow: z
    .enum(['all', 'none'])
    .default('all')
    .describe('"all" also traces programs it executes; setuid ones (sudo) lose their privileges.'),
  onClientExit,
  requestId,
  ...following,
});

const attaching = {
  projectRoot: projectRoot.exactOptional(),
  patterns,
  serializationDepth: serializationDepthParameter,
  redact,
  onClientExit,
  requestId,
  ...following,
};

const attach = z.strictObject({
  pid: z.int().min(1).describe('Attach to this process.'),
  ...attaching,
});

const attachNext = z.strictObject({
  next: z.string().min(1).max(4096).describe('Attach when this starts (path or name).'),
  ...attaching,
});

const core = z.strictObject({
  core: z.string().min(1).describe('Explain this core dump of `command`.'),
  command: z.string().min(1).max(4096),
  cwd: z.string().min(1).describe('Defaults to your working directory.').exactOptional(),
  projectRoot,
  redact,
});

const input = z.union([launch, attach, attachNext, core]);

/** What an answer says of a program that was just started. */
export const launchAnswer = z.looseObject({
  sessionId: z.string(),
  pid: z.number().nullable(),
  state: stateAnswer,
  exit: exitAnswer.nullable(),
  runtime: z.string(),
  projectRoot: z.string(),
  debugInfo: z.looseObject({
    found: z.array(z.string()).describe('Modules with types and lines.'),
    missing: z.array(z.string()).describe('Modules of the project without debug information.'),
    advice: z.string().nullable().describe('How to build with debug information.'),
  }),
  pendingPatternsApplied: z.number(),
  hooks: hooksAnswer,
  outputTail: z.array(z.string()).describe('The last lines it wrote, when it ended at once.'),
  notes: z.array(z.string()),
  nextSteps: nextStepsAnswer,
  waited: z.looseObject({}).describe('With waitFor: as of debug_session wait.').exactOptional(),
  answer: z.looseObject({}).describe('With view: as of debug_query.').exactOptional(),
});

export const debugLaunch = defineTool({
  name: 'debug_launch',
  title: 'Launch a program under observation',
  description: `Starts a program and observes it: use it instead of a shell, without recompiling. Output is captured; functions matching \`patterns\` are traced from before main. Returns at once; the program keeps running. A short program in one call: "waitFor": "exit", "view": "events".

When unsure, first read the output without patterns. Types, values and @usercode need debug information (-g).

Example: {"command": "./build/server", "args": ["--port", "8080"], "projectRoot": "/home/me/server", "patterns": ["net::*"]}

\`pid\` or \`next\` instead of \`command\` attaches without stopping the program.`,
  input,
  variant: { by: { launch: 'command', attach: 'pid', attachNext: 'next', core: 'core' } },
  variantsTold: [
    'command',
    'pid',
    'next',
    'core',
    'args',
    'cwd',
    'env',
    'envMode',
    'stdin',
    'tty',
    'ui',
    'patterns',
    'breakpoints',
    'follow',
    'serializationDepth',
    'redact',
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
      flags: { patterns: 'trace', breakpoints: 'break' },
      defaults: { projectRoot: 'projectRoot', onClientExit: 'keep' },
      examples: [
        'launch -- ./build/app --verbose',
        "launch --trace 'audio::*' --stdin open -- ./player song.wav",
        'launch --break bank.c:22 -- ./bank',
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
      title: 'Attach to a running process',
      word: 'pid',
      flags: { patterns: 'trace' },
      examples: ['attach 4711', "attach 4711 --trace 'net::*'"],
    },
    {
      command: 'attach-next',
      variant: 'attachNext',
      title: 'Attach to the next start of a program',
      word: 'next',
      flags: { patterns: 'trace' },
      examples: ['attach-next ./build/app', "attach-next worker.py --trace '@usercode'"],
    },
  ],
});
export type DebugLaunchInput = z.output<typeof input>;
export type LaunchInput = z.output<typeof launch>;
export type AttachInput = z.output<typeof attach>;
export type AttachNextInput = z.output<typeof attachNext>;
export type DebugLaunchOutput = z.output<typeof launchAnswer>;
