import type { ToolCaller, ToolResult } from '../demo/toolCaller.ts';
import { member } from '../messages.ts';

/** Leaves no session behind. */
export async function forgotten(
  caller: ToolCaller,
  { structured }: ToolResult,
  action: 'detach' | 'stop',
): Promise<void> {
  const sessionId = member(structured, 'sessionId');
  if (typeof sessionId !== 'string') return;
  await caller.call('debug_session', { action, sessionId });
  await caller.call('debug_session', { action: 'delete', sessionId });
}
