import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { hasCrashed, sessionUri } from './sessionResources.ts';

type Link = Extract<CallToolResult['content'][number], { type: 'resource_link' }>;

/** Actions that answer with the path of a file. */
const writing: ReadonlySet<string | null> = new Set(['pack', 'screenshot']);

/** What a client can open of an answer: a session that was started, a crash, a file that was written. */
export function resourceLinks(tool: string, structured: object): Link[] {
  const answer: Readonly<Record<string, unknown>> = { ...structured };
  const text = (name: string): string | null => {
    const value = answer[name];
    return typeof value === 'string' ? value : null;
  };
  const sessionId = text('sessionId');
  if (sessionId === null) return [];
  const hasDied = hasCrashed(answer['exit']);
  if (tool === 'debug_launch' || text('action') === 'restart')
    return (hasDied ? (['status', 'crash'] as const) : (['status'] as const)).map((part) =>
      sessionLink(sessionId, part),
    );
  if (text('view') === 'crash' || (hasDied && text('action') === 'wait'))
    return [sessionLink(sessionId, 'crash')];
  const path = text('path');
  const isWritten = writing.has(text('action')) || answer['done'] === true;
  return path !== null && isWritten ? [fileLink(path)] : [];
}

function sessionLink(sessionId: string, part: 'status' | 'crash'): Link {
  const uri = sessionUri(sessionId, part);
  return { type: 'resource_link', uri, name: `session-${part}`, mimeType: 'text/plain' };
}

function fileLink(path: string): Link {
  return { type: 'resource_link', uri: pathToFileURL(path).href, name: basename(path) };
}
