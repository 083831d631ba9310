import { z } from 'zod';
import { nextStepsAnswer } from './answers.ts';
import { budgetParameter, pathParameter, sessionParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

const sessionId = sessionParameter.exactOptional();
const takeOver = z.boolean().default(false).describe("Allow another client's session.");
const id = z.string().min(1).max(200).describe('An element, as the tree names it: "btn_play".');

const window = z
  .string()
  .min(1)
  .max(400)
  .describe('Title of a window, or a part of it; defaults to the topmost.')
  .exactOptional();

const input = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('tree'),
    sessionId,
    root: id.describe('Show this element alone, whole.').exactOptional(),
    budget: budgetParameter.exactOptional(),
  }),
  z.strictObject({
    action: z.literal('screenshot'),
    sessionId,
    window,
    annotate: z.boolean().default(false).describe('Draw a box and the id at each element.'),
    path: pathParameter
      .describe("Write the PNG file here; defaults to the session's folder.")
      .exactOptional(),
    image: z.boolean().default(true).describe('false answers with the path alone.'),
  }),
  z.strictObject({
    action: z.literal('click'),
    sessionId,
    id,
    count: z.int().min(1).max(3).default(1).describe('2 is a double click.'),
    takeOver,
  }),
  z.strictObject({
    action: z.literal('setValue'),
    sessionId,
    id,
    value: z.union([z.number(), z.string().max(10_000)]),
    takeOver,
  }),
  z.strictObject({
    action: z.literal('select'),
    sessionId,
    id,
    item: z.string().min(1).max(400).describe('Name of an item of a list or box.'),
    takeOver,
  }),
  z.strictObject({
    action: z.literal('scroll'),
    sessionId,
    id,
    direction: z.enum(['up', 'down', 'left', 'right']),
    amount: z.int().min(1).max(100).default(3).describe('Steps of the wheel.'),
    takeOver,
  }),
  z.strictObject({
    action: z.literal('drag'),
    sessionId,
    id,
    to: id.describe('The element it is dropped on; or give right and down.').exactOptional(),
    right: z.int().min(-5000).max(5000).describe('Pixels.').exactOptional(),
    down: z.int().min(-5000).max(5000).exactOptional(),
    takeOver,
  }),
  z.strictObject({
    action: z.literal('type'),
    sessionId,
    id: id.exactOptional(),
    text: z.string().min(1).max(10_000).describe('Typed by the keyboard; \\n is Return.'),
    takeOver,
  }),
  z.strictObject({
    action: z.literal('key'),
    sessionId,
    id: id.exactOptional(),
    key: z.string().min(1).max(100).describe('"Return", "ctrl+s".'),
    takeOver,
  }),
]);

const acted = {
  sessionId: z.string(),
  done: z
    .enum(['confirmed', 'sent', 'noEffect'])
    .describe('confirmed: the effect is seen. sent: nothing that is shown tells of one.'),
  means: z.enum(['pointer', 'keyboard', 'accessibility', 'script']),
  element: z.string().nullable(),
  delta: z.array(z.string()).describe('Elements that changed (~), came (+) or went (-).'),
  settledMs: z.number(),
  meanwhile: z.object({
    output: z.array(z.string()),
    calls: z.array(z.object({ function: z.string(), count: z.number() })),
  }),
  nextSteps: nextStepsAnswer,
};

const output = z.discriminatedUnion('action', [
  z.looseObject({
    action: z.literal('tree'),
    sessionId: z.string(),
    toolkit: z.string(),
    sight: z.string().nullable(),
    elements: z.array(z.string()).describe('A line each, indented.'),
    shown: z.number(),
    widgets: z.number(),
    unread: z.number().describe('Widgets beyond what is read of a list or a program.'),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('screenshot'),
    sessionId: z.string(),
    window: z.string(),
    width: z.number(),
    height: z.number(),
    path: z.string(),
    otherWindows: z.array(z.string()),
    omitted: z.array(z.string()).describe('Ids for which the picture has no room.'),
    idsAgeMs: z
      .number()
      .describe('The program does not answer: how long ago its elements were read, in ms.')
      .exactOptional(),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({ action: z.literal('click'), ...acted }),
  z.looseObject({ action: z.literal('setValue'), ...acted }),
  z.looseObject({ action: z.literal('select'), ...acted }),
  z.looseObject({ action: z.literal('scroll'), ...acted }),
  z.looseObject({ action: z.literal('drag'), ...acted }),
  z.looseObject({ action: z.literal('type'), ...acted }),
  z.looseObject({ action: z.literal('key'), ...acted }),
]);

export const debugUi = defineTool({
  name: 'debug_ui',
  title: "See and use the program's windows",
  description: `Shows and uses the windows of a program launched with "ui": true, on a display of its own. By \`action\`:
- tree: the elements with their ids, values and states, as text. Ids stay the same.
- screenshot: one window with its menus as a picture, also when it is covered or the program is stopped.
- click, setValue, select, type, key, scroll, drag: act as a person would, wait until the window is quiet, and answer with what changed, whether the effect was seen, and what the program wrote and called meanwhile.

Example: {"action": "click", "id": "btn_play"}`,
  input,
  variant: { key: 'action' },
  variantsTold: [
    'sessionId',
    'window',
    'path',
    'annotate',
    'image',
    'root',
    'budget',
    'id',
    'count',
    'value',
    'item',
    'direction',
    'amount',
    'to',
    'right',
    'down',
    'text',
    'key',
    'takeOver',
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
      command: 'ui',
      verbs: {
        tree: { set: 'action', word: 'root' },
        screenshot: { set: 'action' },
        click: { set: 'action', word: 'id' },
        setValue: { set: 'action', word: 'id' },
        select: { set: 'action', word: 'id' },
        scroll: { set: 'action', word: 'id' },
        drag: { set: 'action', word: 'id' },
        type: { set: 'action', word: 'text' },
        key: { set: 'action', word: 'key' },
      },
      examples: [
        'ui tree',
        'ui screenshot --path window.png --annotate',
        'ui click btn_play',
        'ui setValue sld1 --value 7',
        "ui type --id txt1 --text 'hello'",
      ],
    },
  ],
});
export type DebugUiInput = z.output<typeof input>;
export type DebugUiOutput = z.output<typeof output>;
