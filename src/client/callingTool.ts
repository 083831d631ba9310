import type { DaemonLink } from './daemonLink.ts';
import type { Manifest } from './manifestTypes.ts';

/** Calls a tool; its result as MCP has it. */
export type ToolCall = (name: string, args: object) => Promise<unknown>;

/** Shakes hands over MCP, so that commands and agents take the same way through the daemon. */
export async function callingTool(link: DaemonLink, manifest: Manifest): Promise<ToolCall> {
  const [protocolVersion] = manifest.legacyVersions;
  const clientInfo = { name: 'strobe-cli', version: manifest.version };
  await link.request('initialize', { protocolVersion, capabilities: {}, clientInfo });
  link.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return async (name, args) =>
    await link.request('tools/call', { name, arguments: args, _meta: { progressToken: 1 } });
}
