import type { JsonObject, Manifest } from './manifestTypes.ts';
import { member, textMember, type Incoming } from './messages.ts';

/*
 * What `strobe mcp` answers by itself. Pure, as it also runs before anything is built: `npm run generate` writes
 * scripts/manifestAnswers.cjs from this file.
 */

export const versionKey = 'io.modelcontextprotocol/protocolVersion';

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** The revision a request of the 2026 era carries; null for the 2025 era. */
export function claimedRevision(message: Incoming): string | null {
  const version = member(member(message.params, '_meta'), versionKey);
  return typeof version === 'string' ? version : null;
}

/** The result of a request that the manifest has an answer for; null for all others. `structured`: answers have that form, too. */
export function manifestAnswer(
  manifest: Manifest,
  message: Incoming,
  structured: boolean,
): JsonObject | null {
  const revision = claimedRevision(message);
  const modern = revision !== null && manifest.modernVersions.includes(revision);
  if (revision !== null && !modern) return null; // The daemon says which revisions there are.
  // It says, too, what is wrong with these.
  if (modern && member(member(message.params, '_meta'), capabilitiesKey) === undefined) return null;
  if (member(message.params, 'cursor') !== undefined) return null;
  switch (message.method) {
    case 'initialize':
      if (modern) return null;
      return { ...manifest.initialize, protocolVersion: agreedRevision(manifest, message.params) };
    case 'server/discover':
      return modern ? manifest.discover : null;
    case 'tools/list':
      return { ...toolList(manifest, structured), ...(modern ? manifest.modernExtras : {}) };
    case 'ping':
      return modern ? null : {};
    default:
      return null;
  }
}

/** A listed output schema obliges a server to answer in its form, so it is listed only with that form. */
function toolList({ toolList: list, outputSchemas }: Manifest, structured: boolean): JsonObject {
  const listed = list['tools'];
  if (!structured || !Array.isArray(listed)) return list;
  const tools = listed.map((tool: unknown) => ({
    ...(typeof tool === 'object' ? tool : {}),
    outputSchema: outputSchemas[textMember(tool, 'name')],
  }));
  return { ...list, tools };
}

function agreedRevision({ legacyVersions }: Manifest, params: unknown): string {
  const wanted = member(params, 'protocolVersion');
  return legacyVersions.find((version) => version === wanted) ?? legacyVersions[0] ?? '';
}

/** The answer of a request that failed. A tool's caller is a model: it gets the error as a result it can read. */
export function failedAnswer(
  message: Incoming,
  error: { readonly code: string; readonly message: string; readonly hint: string },
  structured: boolean,
): JsonObject {
  const { id, method } = message;
  const text = `${error.code}: ${error.message}\nNext: ${error.hint}`;
  const { code, hint } = error;
  const data = { code, kind: 'environment', message: error.message, hint, retryable: true };
  if (method !== 'tools/call')
    return { jsonrpc: '2.0', id, error: { code: -32603, message: text, data } };
  const result = {
    isError: true,
    content: [{ type: 'text', text }],
    ...(structured ? { structuredContent: { error: data } } : {}),
    ...(claimedRevision(message) === null ? {} : { resultType: 'complete' }),
  };
  return { jsonrpc: '2.0', id, result };
}
