import type { z } from 'zod';
import { debugBreakpoint } from './debugBreakpoint.ts';
import { debugChannel } from './debugChannel.ts';
import { debugContinue } from './debugContinue.ts';
import { debugInspect } from './debugInspect.ts';
import { debugLaunch } from './debugLaunch.ts';
import { debugMemory } from './debugMemory.ts';
import { debugQuery } from './debugQuery.ts';
import { debugSession } from './debugSession.ts';
import { debugTest } from './debugTest.ts';
import { debugTrace } from './debugTrace.ts';
import { debugUi } from './debugUi.ts';
import type { ToolContract } from './tool.ts';

/** Every tool, in the order clients see them. */
export const tools = [
  debugLaunch,
  debugSession,
  debugTrace,
  debugQuery,
  debugTest,
  debugBreakpoint,
  debugContinue,
  debugInspect,
  debugMemory,
  debugChannel,
  debugUi,
] as const satisfies readonly ToolContract[];

export type Tool = (typeof tools)[number];
export type ToolName = Tool['name'];

/** The parsed input of a tool, defaults filled in. */
export type ToolInput<Name extends ToolName> = z.output<Extract<Tool, { name: Name }>['input']>;

/** Names of the first design, with the call that took their place. */
export const formerNames: Readonly<Record<string, string>> = {
  debug_stop: 'debug_session {"action": "stop"}',
  debug_input: 'debug_session {"action": "input"}',
  debug_channel_send: 'debug_channel {"action": "send"}',
  debug_channel_query: 'debug_channel {"action": "query"}',
  debug_test_scenario: 'debug_channel {"action": "run"}',
  debug_session_status: 'debug_session {"action": "status"}',
};
