import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { loadTypeScript } from '../loadTypeScript.mjs';

const modernVersion = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': modernVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'generate', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What the daemon's own MCP server answers, asked in memory, so that the proxy says the same. */
async function answers(parts, version, requests, structured = false) {
  const waiting = new Map();
  const transport = new parts.frames.FrameTransport((message) =>
    waiting.get(message.id)?.(message),
  );
  const client = { id: 'generate', kind: 'mcp', cwd: '/', env: {}, umask: 0o022 };
  const fail = (error) => {
    throw error;
  };
  const server = parts.server.serveMcp(
    { version, client, structured, call: fail, complete: fail, onError: fail },
    transport,
  );
  const results = [];
  for (const [id, [method, params]] of requests.entries()) {
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    transport.receive({ jsonrpc: '2.0', id, method, params });
    const answer = await answered;
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    results.push(answer.result);
  }
  await server.close();
  return results;
}

/** src/client/manifest.json: what the client knows without asking the daemon. */
export async function generateManifest(root) {
  const parts = await loadTypeScript(root, {
    server: 'src/daemon/mcp/server.ts',
    frames: 'src/daemon/mcp/frameTransport.ts',
    tools: 'src/protocol/tools/tools.ts',
    grammar: 'src/protocol/tools/cliGrammar.ts',
    errors: 'src/model/errors.ts',
    status: 'src/protocol/cliExitStatus.ts',
  });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const handshake = {
    protocolVersion: SUPPORTED_PROTOCOL_VERSIONS[0],
    capabilities: {},
    clientInfo: { name: 'generate', version: '1' },
  };
  const [initialize, legacyToolList] = await answers(parts, version, [
    ['initialize', handshake],
    ['tools/list', {}],
  ]);
  const [discover, modernToolList] = await answers(parts, version, [
    ['server/discover', { _meta: meta }],
    ['tools/list', { _meta: meta }],
  ]);
  const [, structuredList] = await answers(
    parts,
    version,
    [
      ['initialize', handshake],
      ['tools/list', {}],
    ],
    true,
  );
  const { tools: modernTools, ...extras } = modernToolList;
  if (JSON.stringify(modernTools) !== JSON.stringify(legacyToolList.tools)) {
    throw new Error('The tool list differs between the eras; the manifest holds one.');
  }
  const manifest = {
    version,
    initialize,
    legacyVersions: SUPPORTED_PROTOCOL_VERSIONS,
    modernVersions: discover.supportedVersions,
    discover,
    toolList: legacyToolList,
    outputSchemas: Object.fromEntries(
      structuredList.tools.map(({ name, outputSchema }) => [name, outputSchema]),
    ),
    modernExtras: extras,
    commands: parts.grammar.cliCommands(parts.tools.tools),
    exitStatus: parts.status.exitStatus,
    errors: Object.fromEntries(
      Object.entries(parts.errors.errors).map(([code, { kind, hint }]) => [code, { kind, hint }]),
    ),
  };
  return [{ path: 'src/client/manifest.json', text: `${JSON.stringify(manifest, null, 1)}\n` }];
}
