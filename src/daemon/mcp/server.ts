import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { inert } from '../../base/visible.ts';
import { sqlGuide } from '../../db/sql/sqlGuide.ts';
import { errors, type StrobeError } from '../../model/errors.ts';
import { instructions } from '../../protocol/clientInstructions.ts';
import { tools } from '../../protocol/tools/tools.ts';
import { wireOutput } from '../../protocol/tools/wireOutput.ts';
import { wireInput } from '../../protocol/tools/wireSchema.ts';
import type { Client, RequestContext } from '../request.ts';
import type { CallOutcome } from '../toolCalls.ts';
import type { FrameTransport } from './frameTransport.ts';

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
  const server = new Server(
    { name: 'strobe', title: 'Strobe', version: part.version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions,
      cacheHints: {
        'tools/list': cacheHint,
        'resources/list': cacheHint,
        'resources/read': cacheHint,
        'server/discover': cacheHint,
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: toolList(part.structured) }));
  server.setRequestHandler('resources/list', () => ({ resources: [{ ...sqlResource }] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', (request) => {
    const { uri } = request.params;
    if (uri !== sqlResource.uri) throw unknownResource(uri);
    return { contents: [{ uri, mimeType: sqlResource.mimeType, text: sqlGuide }] };
  });
  server.setRequestHandler('tools/call', async (request, context) => {
    const outcome = await part.call(
      request.params.name,
      request.params.arguments,
      requestContext(part.client, context),
    );
    const { structuredContent, ...result } = outcome.ok
      ? answerResult(outcome)
      : errorResult(outcome.error);
    return part.structured ? { ...result, structuredContent } : result;
  });
  return server;
}

/** What SQL can be asked, for a client that reads before it asks. */
const sqlResource = {
  uri: 'strobe://sql',
  name: 'sql',
  title: 'SQL over a session: tables and examples',
  description: 'Tables, columns and example statements of debug_query view "sql".',
  mimeType: 'text/markdown',
} as const;

function unknownResource(uri: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no resource ${uri}. There is ${sqlResource.uri}.`,
  );
}

interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  outputSchema?: { type: 'object'; [key: string]: unknown };
  annotations?: Record<string, boolean>;
}

/** `tools/list` as both eras see it. */
function toolList(structured: boolean): ListedTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...wireInput(tool), type: 'object' },
    ...(structured ? { outputSchema: { ...wireOutput(tool), type: 'object' } } : {}),
    ...annotationsOf(tool.annotations),
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

function answerResult(outcome: Extract<CallOutcome, { ok: true }>): CallToolResult {
  return {
    content: [{ type: 'text', text: outcome.answer.text }],
    structuredContent: { ...outcome.answer.structured },
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

function requestContext(client: Client, context: ServerContext): RequestContext {
  const { signal, notify, _meta: meta } = context.mcpReq;
  const progressToken = meta?.progressToken;
  let last = 0;
  return {
    client,
    signal,
    progress(message, done, total) {
      if (progressToken === undefined || signal.aborted) return;
      // The protocol wants progress to grow with every notification.
      last = done !== undefined && done > last ? done : last + 0.001;
      const params = {
        progressToken,
        progress: last,
        message,
        ...(total === undefined ? {} : { total }),
      };
      notify({ method: 'notifications/progress', params }).catch(() => undefined); // the client went
    },
  };
}
