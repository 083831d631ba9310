import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHome, type TestHome } from '../../support/home.ts';
import { at, listAt, textAt } from '../../support/read.ts';
import { runProgram } from '../../support/strobe.ts';
import { installStandIn, type StandInInstall } from './standInInstall.ts';

interface Request {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

interface Options {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
}

/** What both official clients can do, in one shape. */
interface Official {
  readonly revision: string | undefined;
  readonly tools: readonly unknown[];
  call(request: Request, options?: Options): Promise<unknown>;
  close(): Promise<void>;
}

/** What a client shows the model that prefers the text of an answer. */
function textFirst(answer: unknown): string {
  return listAt(answer, 'content')
    .filter((part) => at(part, 'type') === 'text')
    .map((part) => textAt(part, 'text'))
    .join('\n');
}

/** What a client shows that drops the text when structured content is there: Claude Code, Codex. */
function structuredFirst(answer: unknown): string {
  const structured = at(answer, 'structuredContent');
  return structured === undefined ? textFirst(answer) : JSON.stringify(structured);
}

const identity = { name: 'official', version: '1' };

const eras: Readonly<
  Record<
    string,
    (server: { command: string; args: string[]; env: Record<string, string> }) => Promise<Official>
  >
> = {
  'the 2025 client': async (server) => {
    const transport = new StdioV1(server);
    const client = new ClientV1(identity);
    await client.connect(transport);
    const { tools } = await client.listTools();
    return {
      revision: undefined,
      tools,
      call: async (request, options) => await client.callTool(request, undefined, options),
      close: () => client.close(),
    };
  },
  'the 2026 client': async (server) => {
    const client = new ClientV2(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StdioV2(server));
    const { tools } = await client.listTools();
    return {
      revision: client.getNegotiatedProtocolVersion(),
      tools,
      call: async (request, options) => await client.callTool(request, options),
      close: () => client.close(),
    };
  },
  'the 2026 client that finds out by itself': async (server) => {
    const client = new ClientV2(identity, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioV2(server));
    const { tools } = await client.listTools();
    return {
      revision: client.getNegotiatedProtocolVersion(),
      tools,
      call: async (request, options) => await client.callTool(request, options),
      close: () => client.close(),
    };
  },
};

describe.each(Object.entries(eras))('[mcp.eras] %s', (name, connect) => {
  let install: StandInInstall;
  let home: TestHome;
  let client: Official;
  beforeAll(async () => {
    install = await installStandIn();
    home = openHome();
    client = await connect({
      command: process.execPath,
      args: [install.client, 'mcp', '--structured'],
      env: { ...home.env, SURFACE_TEST: name },
    });
  });
  afterAll(async () => {
    await client.close();
    await runProgram({ env: home.env, cwd: home.project }, [
      process.execPath,
      install.client,
      'daemon',
      'stop',
    ]);
    await home.close();
    install.close();
  });

  test('lists the tools, in the revision it asked for', () => {
    expect(client.tools.map((tool) => textAt(tool, 'name'))).toEqual([
      'debug_launch',
      'debug_session',
      'debug_trace',
      'debug_query',
      'debug_test',
      'debug_breakpoint',
      'debug_continue',
      'debug_inspect',
      'debug_memory',
      'debug_channel',
      'debug_ui',
    ]);
    expect(client.revision).toBe(name === 'the 2025 client' ? undefined : '2026-07-28');
  });

  test('[mcp.structured] calls, with its own environment; the SDK accepts the structured answer', async () => {
    const launched = await client.call({
      name: 'debug_launch',
      arguments: { command: 'app', projectRoot: '/' },
    });
    expect(listAt(launched, 'structuredContent', 'notes')).toEqual([`env ${name}`]);
    const listed = await client.call({ name: 'debug_session', arguments: { action: 'list' } });
    expect(at(listed, 'structuredContent', 'totalCount')).toBe(1);
  });

  test('[mcp.text] without --structured a client that prefers structured content shows the same text as one that prefers text', async () => {
    const plain = await connect({
      command: process.execPath,
      args: [install.client, 'mcp'],
      env: { ...home.env, SURFACE_TEST: name },
    });
    expect(plain.tools.map((tool) => at(tool, 'outputSchema'))).toEqual(Array(11).fill(undefined));
    for (const args of [{ command: 'app', projectRoot: '/' }, {}]) {
      const request = { name: 'debug_launch', arguments: args };
      const answer = await plain.call(request);
      const full = await client.call(request);
      expect(textFirst(answer)).not.toBe('');
      expect(structuredFirst(answer)).toBe(textFirst(answer));
      expect(structuredFirst(full)).not.toBe(textFirst(full));
    }
    await plain.close();
  });

  // A client forgets about progress once it has read the answer: the answer must not come at once.
  test('sees progress, and cancels', async () => {
    const steps: unknown[] = [];
    const cancel = new AbortController();
    const request = { name: 'debug_session', arguments: { action: 'wait', timeoutMs: 50_000 } };
    const waiting = client.call(request, {
      signal: cancel.signal,
      onprogress: (step) => {
        if (steps.push(at(step, 'message')) === 3) cancel.abort();
      },
    });
    await expect(waiting).rejects.toThrow();
    expect(steps).toEqual(['step 1 of 3', 'step 2 of 3', 'step 3 of 3']);
    const after = await client.call({
      name: 'debug_session',
      arguments: { action: 'wait', timeoutMs: 0 },
    });
    expect(listAt(after, 'structuredContent', 'nextSteps')).toEqual([
      expect.stringMatching(/^cancelled app-/),
    ]);
  });

  test('is told what was wrong, with a structured error its SDK accepts', async () => {
    const refused = await client.call({ name: 'debug_session', arguments: { action: 'stopp' } });
    expect(at(refused, 'isError')).toBe(true);
    expect(at(refused, 'structuredContent', 'error', 'code')).toBe('BAD_PARAMETER');
    expect(textAt(refused, 'content', 0, 'text')).toContain('Did you mean "stop"?');
  });
});
