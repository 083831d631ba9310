import { z } from 'zod';
import { nextStepsAnswer } from './answers.ts';
import { pathParameter, sessionParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

const sessionId = sessionParameter.exactOptional();

const window = z
  .string()
  .min(1)
  .max(400)
  .describe('Title of a window, or a part of it; defaults to the topmost.')
  .exactOptional();

const input = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('screenshot'),
    sessionId,
    window,
    path: pathParameter
      .describe("Write the PNG file here; defaults to the session's folder.")
      .exactOptional(),
    image: z.boolean().default(true).describe('false answers with the path alone.'),
  }),
]);

const output = z.discriminatedUnion('action', [
  z.looseObject({
    action: z.literal('screenshot'),
    sessionId: z.string(),
    window: z.string(),
    width: z.number(),
    height: z.number(),
    path: z.string(),
    otherWindows: z.array(z.string()),
    nextSteps: nextStepsAnswer,
  }),
]);

export const debugUi = defineTool({
  name: 'debug_ui',
  title: "See the program's windows",
  description: `Shows the windows of a program launched with "ui": true. By \`action\`:
- screenshot: one window with its menus as a picture, also when it is covered or the program is stopped.

Example: {"action": "screenshot"}`,
  input,
  variant: { key: 'action' },
  variantsTold: ['sessionId', 'window', 'path', 'image'],
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  cli: [
    {
      command: 'ui',
      verbs: { screenshot: { set: 'action' } },
      examples: ['ui screenshot --path window.png', 'ui screenshot --window Preferences'],
    },
  ],
});
export type DebugUiInput = z.output<typeof input>;
export type DebugUiOutput = z.output<typeof output>;
