import type { Refusal } from '../../base/lines.ts';
import { FrameTransport } from './frameTransport.ts';
import { serveMcp, type McpPart } from './server.ts';

const versionKey = 'io.modelcontextprotocol/protocolVersion';
/** The SDK's server looks at the revision of no request after one of these. */
const modernRevisions: readonly unknown[] = ['2026-07-28'];
const unsupportedRevision = -32022;

interface Served {
  readonly transport: FrameTransport;
  close(): Promise<void>;
}

/**
 * MCP over one connection, in both eras at once: each request says itself which one it is of.
 *
 *   initialize, or no revision in `_meta`  ──▶ a server of the 2025 revisions
 *   a revision in `_meta`                  ──▶ a server of the stateless revision of 2026
 *   … that there is not                    ──▶ refused with those there are
 *   server/discover without one            ──▶ refused: no other revision has it
 *   notifications                          ──▶ every server that was used
 */
export class McpEras {
  readonly #part: McpPart;
  readonly #write: (message: unknown) => void;
  #legacy: Served | null = null;
  #modern: Served | null = null;

  constructor(part: McpPart, write: (message: unknown) => void) {
    this.#part = part;
    this.#write = write;
  }

  /** Hands a message on; the refusal of one that cannot be. */
  receive(message: object): Refusal | null {
    const { id, method, params }: Record<string, unknown> = { ...message };
    const known = typeof id === 'string' || typeof id === 'number' ? { id } : {};
    if (id === undefined || method === undefined) {
      for (const served of [this.#legacy, this.#modern]) served?.transport.receive(message);
      return null;
    }
    const claimed = claimedRevision(params);
    const isModern = claimed !== null;
    const mustSay = method === 'server/discover' || (this.#modern && !this.#legacy);
    if (!isModern && method !== 'initialize' && mustSay)
      return {
        ...known,
        code: -32602,
        text: `${typeof method === 'string' ? method : 'The request'}: _meta["${versionKey}"] is missing.`,
      };
    if (isModern && !modernRevisions.includes(claimed))
      return {
        ...known,
        code: unsupportedRevision,
        text: `Unsupported protocol version: ${typeof claimed === 'string' ? claimed : JSON.stringify(claimed)}`,
        data: { supported: modernRevisions, requested: claimed },
      };
    const served = isModern ? (this.#modern ??= this.#serve()) : (this.#legacy ??= this.#serve());
    if (served.transport.receive(message)) return null;
    return { ...known, code: -32600, text: 'Not a JSON-RPC message.' };
  }

  async close(): Promise<void> {
    await Promise.all([this.#legacy?.close(), this.#modern?.close()]);
  }

  #serve(): Served {
    const transport = new FrameTransport(this.#write);
    const served = serveMcp(this.#part, transport);
    return { transport, close: async () => await served.close() };
  }
}

function claimedRevision(params: unknown): unknown {
  const meta = memberOf(params, '_meta');
  return memberOf(meta, versionKey) ?? null;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const members: Readonly<Record<string, unknown>> = { ...value };
  return members[name];
}
