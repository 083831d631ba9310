import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { tools as contracts } from '../../src/protocol/tools/tools.ts';
import type { TestHome } from './home.ts';
import { at, listAt, textAt } from './read.ts';
import { clientProgram } from './strobe.ts';

/** `v1`: the 2025 protocol with its handshake; `v2`: the stateless revision of 2026-07-28. */
export type Era = 'v1' | 'v2';
export const eras = ['v1', 'v2'] as const;

export interface Answer {
  /** The readable form. */
  readonly text: string;
  /** The structured form, checked by the SDK against the listed output schema and here against the contract. */
  readonly structured: unknown;
  readonly isError: boolean;
  /** Pictures, as base64. */
  readonly images: readonly { readonly mimeType: unknown; readonly data: unknown }[];
}

export interface TestClient {
  readonly pid: number;
  readonly protocolVersion: string;
  readonly instructions: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: unknown;
    readonly outputSchema: unknown;
  }[];
  /** Lists and reads what the server offers beside its tools. */
  resources(): Promise<readonly { readonly uri: string; readonly mimeType?: string | undefined }[]>;
  readResource(uri: string): Promise<string>;
  /** Progress messages seen so far. */
  readonly progress: readonly string[];
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** As `call`; fails with the answer's text when it is an error. */
  ok(tool: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** As `call`; fails when it is not an error. */
  refused(tool: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Closes stdin, as a client that goes away does. */
  close(): Promise<void>;
}

const identity = { name: 'strobe-tests', version: '1' };

/**
 * Starts `strobe mcp` in the home and connects an official SDK client to it. `through`: a command
 * that is given the real one as its last arguments.
 */
export async function startClient(
  home: TestHome,
  era: Era = 'v1',
  through: readonly string[] = home.prefix,
): Promise<TestClient> {
  const [command, ...args] = [...through, process.execPath, clientProgram, 'mcp', '--structured'];
  const server = {
    command,
    args,
    env: { ...home.env },
    cwd: home.project,
    stderr: 'inherit' as const,
  };
  const client = era === 'v1' ? await connectV1(server) : await connectV2(server);
  home.onClose(async () => client.close());
  return client;
}

type Server = ConstructorParameters<typeof StdioV1>[0] & ConstructorParameters<typeof StdioV2>[0];
type Request = { name: string; arguments: Record<string, unknown> };
type Send = (request: Request, onprogress: (progress: unknown) => void) => Promise<unknown>;

async function connectV1(server: Server): Promise<TestClient> {
  const transport = new StdioV1(server);
  const client = new ClientV1(identity);
  let version = '';
  Object.assign(transport, { setProtocolVersion: (agreed: string) => (version = agreed) });
  await client.connect(transport);
  const send: Send = (request, onprogress) =>
    client.callTool(request, undefined, { onprogress, timeout: 90_000 });
  const { tools } = await client.listTools();
  return dress(tools, send, () => client.close(), {
    pid: transport.pid ?? 0,
    protocolVersion: version,
    instructions: client.getInstructions() ?? '',
    resources: async () => (await client.listResources()).resources,
    readResource: async (uri) =>
      listAt(await client.readResource({ uri }), 'contents')
        .map((part) => textAt(part, 'text'))
        .join('\n'),
  });
}

async function connectV2(server: Server): Promise<TestClient> {
  const transport = new StdioV2(server);
  const client = new ClientV2(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(transport);
  const send: Send = (request, onprogress) =>
    client.callTool(request, { onprogress, timeout: 90_000 });
  const { tools } = await client.listTools();
  return dress(tools, send, () => client.close(), {
    pid: transport.pid ?? 0,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    instructions: client.getInstructions() ?? '',
    resources: async () => (await client.listResources()).resources,
    readResource: async (uri) =>
      listAt(await client.readResource({ uri }), 'contents')
        .map((part) => textAt(part, 'text'))
        .join('\n'),
  });
}

function dress(
  tools: readonly {
    name: string;
    description?: string | undefined;
    inputSchema: unknown;
    outputSchema?: unknown;
  }[],
  send: Send,
  close: () => Promise<void>,
  facts: Pick<
    TestClient,
    'pid' | 'protocolVersion' | 'instructions' | 'resources' | 'readResource'
  >,
): TestClient {
  const progress: string[] = [];
  const call = async (tool: string, args: Readonly<Record<string, unknown>>): Promise<Answer> => {
    const result = await send({ name: tool, arguments: { ...args } }, (step) => {
      const message = at(step, 'message');
      if (typeof message === 'string') progress.push(message);
    });
    const text = listAt(result, 'content')
      .map((part) => at(part, 'text'))
      .filter((part) => typeof part === 'string')
      .join('\n');
    const images = listAt(result, 'content')
      .filter((part) => at(part, 'type') === 'image')
      .map((part) => ({ mimeType: at(part, 'mimeType'), data: at(part, 'data') }));
    const structured = at(result, 'structuredContent');
    const isError = at(result, 'isError') === true;
    // Served all the same; whoever reads the log of a run should know of it.
    const death = /^! (The daemon ended .*)$/m.exec(text)?.[1];
    if (death !== undefined) process.stderr.write(`${tool} ${JSON.stringify(args)}: ${death}\n`);
    if (!isError) contracts.find(({ name }) => name === tool)?.output.parse(structured);
    return { text, structured, isError, images };
  };
  return {
    ...facts,
    tools: tools.map((tool) => ({
      outputSchema: undefined,
      ...tool,
      description: tool.description ?? '',
    })),
    progress,
    call,
    async ok(tool, args) {
      const answer = await call(tool, args);
      if (answer.isError)
        throw new Error(`${tool} ${JSON.stringify(args)} was refused:\n${answer.text}`);
      return answer;
    },
    async refused(tool, args) {
      const answer = await call(tool, args);
      if (!answer.isError)
        throw new Error(`${tool} ${JSON.stringify(args)} was not refused:\n${answer.text}`);
      return answer;
    },
    close,
  };
}
