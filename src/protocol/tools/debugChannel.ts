import { z } from 'zod';
import { channelNames } from '../../model/channels/channelNames.ts';
import { nextStepsAnswer } from './answers.ts';
import {
  budgetParameter,
  callIdParameter,
  cursorParameter,
  exportedRangeParameters,
  exportedThreadParameters,
  pathParameter,
  sessionParameter,
} from './parameters.ts';
import { defineTool } from './tool.ts';

const sessionId = sessionParameter.exactOptional();
const takeOver = z.boolean().default(false).describe("Allow another client's session.");
const channel = z
  .string()
  .min(1)
  .max(40)
  .meta({ examples: [...channelNames] });
const to = z
  .string()
  .min(1)
  .max(300)
  .describe('net: a server on this machine, "127.0.0.1:8080"; open makes a proxy of it.')
  .exactOptional();

const input = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('list'), sessionId }),
  z.strictObject({ action: z.literal('open'), sessionId, channel, to, takeOver }),
  z.strictObject({ action: z.literal('close'), sessionId, channel, to, takeOver }),
  z.strictObject({
    action: z.literal('query'),
    sessionId,
    channel,
    connection: z
      .int()
      .min(1)
      .describe('Show one connection or file, by its #number.')
      .exactOptional(),
    direction: z.enum(['in', 'out']).exactOptional(),
    text: z.string().min(1).max(4000).describe('Search addresses, paths and data.').exactOptional(),
    raw: z.boolean().default(false).describe('Show bytes, with secrets, instead of HTTP requests.'),
    within: callIdParameter.describe('Keep what ran inside this call ("c3.1042").').exactOptional(),
    ...exportedThreadParameters,
    ...exportedRangeParameters,
    limit: z.int().min(1).max(500).default(50),
    path: pathParameter.describe('A scenario file.').exactOptional(),
    cursor: cursorParameter.exactOptional(),
    budget: budgetParameter.describe('').exactOptional(),
  }),
  z.strictObject({
    action: z.literal('send'),
    sessionId,
    channel,
    to,
    text: z.string().max(4_000_000).exactOptional(),
    base64: z.base64().max(6_000_000).exactOptional(),
    eof: z.boolean().default(false).describe('Close the input afterwards.'),
    fault: z
      .string()
      .min(1)
      .max(500)
      .describe(
        'What the proxy does to answers from now on: "3 delay 2000" (the third, in ms), "3 cut 10", "reset", "rewrite 200→503", "none".',
      )
      .exactOptional(),
    takeOver,
  }),
  z.strictObject({
    action: z.literal('run'),
    sessionId,
    steps: z.array(z.looseObject({})).min(1).max(500).exactOptional(),
    path: pathParameter.describe('A scenario file.').exactOptional(),
    from: z.int().min(1).default(1).describe('Continue at this step.'),
    timeoutMs: z.int().min(100).max(50_000).default(50_000),
    takeOver,
  }),
  z.strictObject({
    action: z.literal('record'),
    sessionId,
    path: pathParameter.describe('A scenario file.').exactOptional(),
    takeOver,
  }),
]);

const stateAnswer = z.looseObject({
  channel,
  state: z.enum(['open', 'available', 'unavailable']),
  text: z.string(),
  next: z.string().nullable(),
});

const output = z.discriminatedUnion('action', [
  z.looseObject({
    action: z.literal('list'),
    sessionId: z.string(),
    channels: z.array(stateAnswer),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('open'),
    sessionId: z.string().nullable(),
    channel,
    address: z.string().describe('Where a port passes on to a server.').exactOptional(),
    env: z
      .record(z.string(), z.string())
      .describe('By which a launched program finds it.')
      .exactOptional(),
    hooked: z.number().describe('Functions.'),
    notes: z.array(z.string()),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('close'),
    sessionId: z.string().nullable(),
    channel,
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('query'),
    sessionId: z.string(),
    channel,
    connections: z.array(z.looseObject({ connection: z.number() })).exactOptional(),
    events: z.array(z.looseObject({})),
    totalCount: z.union([z.number(), z.string()]),
    hasMore: z.boolean(),
    cursor: z.string().nullable(),
    path: z.string().exactOptional(),
    notes: z.array(z.string()),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('send'),
    sessionId: z.string().nullable(),
    channel,
    bytes: z.number(),
    reply: z.string().nullable().describe('What came back at once.'),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('run'),
    sessionId: z.string(),
    outcome: z.enum(['passed', 'failed', 'unfinished']),
    total: z.number(),
    passedCount: z.number(),
    passed: z.array(z.looseObject({ number: z.number(), text: z.string() })),
    failed: z.looseObject({ number: z.number(), seen: z.array(z.string()) }).exactOptional(),
    saved: z.record(z.string(), z.string()),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('record'),
    sessionId: z.string(),
    steps: z.array(z.looseObject({})),
    path: z.string().nullable(),
    nextSteps: nextStepsAnswer,
  }),
]);

export const debugChannel = defineTool({
  name: 'debug_channel',
  title: 'Watch and feed the inputs and outputs of a program',
  description: `What goes in and out of a program, by \`action\`:
- list: each channel: open, available, or why not and what to do.
- open: record net (sockets, plain text also under TLS) or file from now on, make a serial port or sound server (audio); from the start with debug_launch \`patterns\` ["@net", "@file"]. close: stop.
- query: who sent what to whom: address or path, bytes, beginning of the data, and the traced call that caused it. HTTP requests are one line each, with bodies when one \`connection\` is asked for. \`path\`: write all as JSON Lines.
- send: \`text\` or \`base64\` to stdio, or with \`to\` to a server on this machine; the reply is shown. \`fault\`: harm a server's answers.
- run: a scenario, read whole before its first step. \`steps\`: {"do":"click","role":"button","name":"Play"} (as debug_ui; a send: {"do":"send","on":"stdio","text":"x\\n"}), {"wait":CHECK,"withinMs":5000}, {"assert":CHECK}, {"save":"n","from":CHECK} for "\${n}". CHECK: {"on":"ui","id":"lbl1","text":"84"} (value, is, gone), {"on":"trace","function":"Synth::noteOn","where":"velocity > 0","count":1}, {"on":"stdio","text":"done"}, or a query of any channel; it counts since the last do. A failed step leaves the program alive.
- record: what you do from now on; again with \`path\` it is written as a scenario (strobe scenario FILE).

Example: {"action": "query", "channel": "net", "text": "POST /orders"}`,
  input,
  variant: { key: 'action' },
  variantsTold: [
    'sessionId',
    'channel',
    'text',
    'base64',
    'to',
    'takeOver',
    'steps',
    'path',
    'timeoutMs',
    'connection',
    'direction',
    'raw',
    'within',
    'threadId',
    'threadName',
    'timeFrom',
    'timeTo',
    'pid',
    'limit',
    'cursor',
    'budget',
  ],
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  cli: [
    {
      command: 'channel',
      verbs: {
        list: { set: 'action' },
        open: { set: 'action', word: 'channel' },
        close: { set: 'action', word: 'channel' },
        query: { set: 'action', word: 'channel' },
        send: { set: 'action', word: 'channel' },
        run: { set: 'action', word: 'path' },
        record: { set: 'action', word: 'path' },
      },
      word: 'sessionId',
      shorthand: { threadName: 'contains' },
      succeeds: { member: 'outcome', value: 'passed' },
      examples: [
        'channel list',
        'channel open net',
        'channel query net --text /orders',
        "channel send net --to 127.0.0.1:8080 --text 'ping'",
        'channel open net --to 127.0.0.1:8080',
        "channel send net --to 127.0.0.1:8080 --fault '3 delay 2000'",
      ],
    },
  ],
});
export type DebugChannelInput = z.output<typeof input>;
export type DebugChannelOutput = z.output<typeof output>;
