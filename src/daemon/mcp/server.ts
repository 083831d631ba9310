import { Server, type CallToolResult } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { inert } from '../../base/visible.ts';
import { errors, type StrobeError } from '../../model/errors.ts';
import { instructions } from '../../protocol/clientInstructions.ts';
import { tools } from '../../protocol/tools/tools.ts';
import { wireOutput } from '../../protocol/tools/wireOutput.ts';
import { wireInput } from '../../protocol/tools/wireSchema.ts';
import type { Completing } from '../daemon.ts';
import type { Client, RequestContext } from '../request.ts';
import type { CallOutcome } from '../toolCalls.ts';
import { offer, offeredCapabilities, refuseCursor } from './offers.ts';
import { Progress } from './progress.ts';
import type { FrameTransport } from './frameTransport.ts';
import { resourceLinks } from './resourceLinks.ts';

/** What the MCP server needs of the daemon. */
export interface McpPart {
  readonly version: string;
  readonly client: Client;
  /**
   * Answers carry their structured form beside the text, and output schemas are listed. Many clients
   * show a model the structured form alone when there is one; the text is what a model reads best.
   */
  readonly structured: boolean;
  call(name: string, request: unknown, context: RequestContext): Promise<CallOutcome>;
  /** What a parameter may be: session ids, function names, tests. */
  complete(asked: Completing, client: Client): Promise<readonly string[]>;
  onError(error: Error): void;
}

/** How long a client may keep the tool list: it changes only with the version. */
const listLifetimeMs = 3_600_000;

/**
 * Serves MCP over one connection, in both eras: the first message decides whether the client
 * speaks a 2025 revision (initialize) or the stateless one of 2026 (server/discover).
 */
export function serveMcp(part: McpPart, transport: FrameTransport): { close(): Promise<void> } {
  return serveStdio(() => createServer(part), {
    transport,
    onerror: (error) => part.onError(error),
  });
}

function createServer(part: McpPart): Server {
  const cacheHint = { ttlMs: listLifetimeMs, cacheScope: 'public' as const };
  const changing = { ttlMs: 0, cacheScope: 'private' as const };
  const server = new Server(
    { name: 'strobe', title: 'Strobe', version: part.version },
    {
      capabilities: { tools: {}, ...offeredCapabilities() },
      instructions,
      cacheHints: {
        'tools/list': cacheHint,
        'resources/list': changing,
        'resources/templates/list': cacheHint,
        'resources/read': changing,
        'prompts/list': cacheHint,
        'server/discover': cacheHint,
      },
    },
  );
  server.setRequestHandler('tools/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return { tools: toolList(part.structured) };
  });
  offer(server, {
    complete: async (asked) => await part.complete(asked, part.client),
    ask: async (tool, request, signal) =>
      await part.call(tool, request, { client: part.client, signal, progress: () => undefined }),
  });
  server.setRequestHandler('tools/call', async (request, context) => {
    const progress = new Progress(context);
    const { signal } = context.mcpReq;
    const outcome = await part
      .call(request.params.name, request.params.arguments, {
        client: part.client,
        signal,
        progress: (message, done, total) => progress.say(message, done, total),
      })
      .finally(() => progress.end());
    const { structuredContent, ...result } = outcome.ok
      ? answerResult(request.params.name, outcome)
      : errorResult(outcome.error);
    return part.structured ? { ...result, structuredContent } : result;
  });
  return server;
}

interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  outputSchema?: { type: 'object'; [key: string]: unknown };
  annotations?: Record<string, boolean>;
  _meta?: Record<string, unknown>;
}

/** Answers of 50,000 tokens are asked for by `budget`; a client would put them aside otherwise. */
const longestAnswer = 200_000;
const mayBeLong: ReadonlySet<string> = new Set(['debug_query']);

/** `tools/list` as both eras see it. */
function toolList(structured: boolean): ListedTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...wireInput(tool), type: 'object' },
    ...(structured ? { outputSchema: { ...wireOutput(tool), type: 'object' } } : {}),
    ...annotationsOf(tool.annotations),
    ...(mayBeLong.has(tool.name)
      ? { _meta: { 'anthropic/maxResultSizeChars': longestAnswer } }
      : {}),
  }));
}

/** What the protocol takes for granted of a tool that says nothing. */
const usual: Readonly<Record<string, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

function annotationsOf(
  annotations: Readonly<Record<string, boolean>>,
): Pick<ListedTool, 'annotations'> {
  const unusual = Object.entries(annotations).filter(([name, value]) => value !== usual[name]);
  return unusual.length === 0 ? {} : { annotations: Object.fromEntries(unusual) };
}

function answerResult(tool: string, outcome: Extract<CallOutcome, { ok: true }>): CallToolResult {
  const { text, structured, image } = outcome.answer;
  const pictures = image === undefined ? [] : [{ type: 'image' as const, ...image }];
  return {
    content: [{ type: 'text', text }, ...pictures, ...resourceLinks(tool, structured)],
    structuredContent: { ...structured },
  };
}

function errorResult(error: StrobeError): CallToolResult {
  const { kind, retryable } = errors[error.code];
  return {
    isError: true,
    content: [{ type: 'text', text: inert(error.text) }],
    structuredContent: {
      error: { code: error.code, kind, message: error.message, hint: error.hint, retryable },
    },
  };
}
