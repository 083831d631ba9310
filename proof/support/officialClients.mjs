/* Both generations of the official client of MCP, doing one small job with `strobe mcp`. */
import { readFileSync } from 'node:fs';
import { Client as Client2026 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2026 } from '@modelcontextprotocol/client/stdio';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio2025 } from '@modelcontextprotocol/sdk/client/stdio.js';

const manifest = new URL('../../src/client/manifest.json', import.meta.url);
const { toolList } = JSON.parse(readFileSync(manifest, 'utf8'));

const identity = { name: 'strobe-proof', version: '1' };
const pinned = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const negotiating = { versionNegotiation: { mode: 'auto' } };

function client2026(name, options, expected) {
  return {
    name,
    check: async (home, program) => {
      const client = new Client2026(identity, options);
      await client.connect(new Stdio2026(server(home, program)));
      const call = (request, settings) => client.callTool(request, settings);
      return await job(client, call, () => client.getNegotiatedProtocolVersion(), expected);
    },
  };
}

export const officialClients = [
  {
    name: '@modelcontextprotocol/sdk 1.32.2',
    check: async (home, program) => {
      const transport = new Stdio2025(server(home, program));
      let revision = '';
      transport.setProtocolVersion = (agreed) => (revision = agreed);
      const client = new Client2025(identity);
      await client.connect(transport);
      const call = (request, settings) => client.callTool(request, undefined, settings);
      return await job(client, call, () => revision, '2025-11-25');
    },
  },
  client2026('@modelcontextprotocol/client 2.4.0, as it comes', undefined, '2025-11-25'),
  client2026('@modelcontextprotocol/client 2.4.0, asks for the newest', negotiating, '2026-07-28'),
  client2026('@modelcontextprotocol/client 2.4.0, pinned to 2026-07-28', pinned, '2026-07-28'),
];

function server(home, program) {
  return {
    command: process.execPath,
    args: [program, 'mcp'],
    env: home.env,
    cwd: home.project,
    stderr: 'inherit',
  };
}

/** What each of them must be able to do: how many steps passed, and what went wrong in the others. */
async function job(client, call, revisionOf, expected) {
  const failed = [];
  let passed = 0;
  const step = async (what, isRight) => {
    try {
      const outcome = await isRight();
      if (outcome === true) passed += 1;
      else failed.push(`${what}: ${JSON.stringify(outcome)}`);
    } catch (error) {
      failed.push(`${what}: ${String(error)}`);
    }
  };
  const launch = (args, settings) =>
    call({ name: 'debug_launch', arguments: { projectRoot: '/tmp', ...args } }, settings);
  const messages = [];
  await step('revision', () => revisionOf() === expected || revisionOf());
  await step(
    'tools',
    async () => (await client.listTools()).tools.length === toolList.tools.length,
  );
  await step('prompts', async () => (await client.listPrompts()).prompts.length === 5);
  await step('resources', async () => (await client.listResources()).resources.length > 0);
  await step(
    'templates',
    async () => (await client.listResourceTemplates()).resourceTemplates.length > 0,
  );
  await step('a resource that does not exist', async () => {
    try {
      return await client.readResource({ uri: 'strobe://nothing' });
    } catch (error) {
      return error.code === -32602 || error.code;
    }
  });
  await step('a program in one call, with progress', async () => {
    const settings = { onprogress: ({ message }) => messages.push(message), timeout: 90_000 };
    const args = { command: '/bin/echo', args: ['hello'], waitFor: 'exit', view: 'output' };
    const answer = await launch(args, settings);
    return (answer.content[0].text.includes('hello') && messages.length > 0) || answer;
  });
  await step('completion of the session', async () => {
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'why-slow' },
      argument: { name: 'sessionId', value: '' },
    });
    return completion.values.length > 0 || completion;
  });
  await step('the session as a resource', async () => {
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'strobe://session/{sessionId}/output' },
      argument: { name: 'sessionId', value: '' },
    });
    const uri = `strobe://session/${completion.values[0]}/output`;
    const { contents } = await client.readResource({ uri });
    return contents[0].text.includes('hello') || contents;
  });
  await step('a refusal is a result', async () => {
    const answer = await launch({ comand: 'x' });
    return (answer.isError && answer.content[0].text.includes('"command"')) || answer;
  });
  await step('a call that is cancelled, and one after it', async () => {
    const cancel = new AbortController();
    const sleep = { command: '/bin/sleep', args: ['60'], waitFor: 'exit' };
    const waiting = launch(sleep, { signal: cancel.signal, onprogress: () => cancel.abort() });
    const ended = await waiting.then(
      () => 'answered',
      () => 'given up',
    );
    const after = await call({ name: 'debug_session', arguments: { action: 'list' } });
    return (ended === 'given up' && after.isError !== true) || { ended, after };
  });
  const revision = revisionOf();
  await client.close();
  return { revision, passed, failed };
}
