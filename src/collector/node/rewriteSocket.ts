import type { Socket } from 'node:net';
import { encodeFrame } from '../../base/frames.ts';
import type { RewriteRequest, StandingRequest } from '../../protocol/nodeTracer.ts';
import { LocalServer } from '../source/localServer.ts';

const mostBytes = 256 << 20;

type Rewrite = (request: RewriteRequest | StandingRequest) => Promise<string>;

/** Answers traced processes that ask for modules to be rewritten, and threads that stand still (src/protocol/nodeTracer.ts). */
export class RewriteSocket extends LocalServer {
  constructor(path: string, rewrite: Rewrite) {
    super(path, mostBytes, (connection) => ({
      take: (frame) => void answer(connection, frame.toString(), rewrite),
    }));
  }
}

/** Its process waits, and asks nothing else meanwhile. */
async function answer(connection: Socket, text: string, rewrite: Rewrite): Promise<void> {
  const frame = encodeFrame(Buffer.from(await tried(text, rewrite)));
  if (!connection.destroyed) connection.write(frame);
}

async function tried(text: string, rewrite: Rewrite): Promise<string> {
  try {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the preload of the same build wrote it
    return await rewrite(JSON.parse(text) as RewriteRequest | StandingRequest);
  } catch (error) {
    return JSON.stringify({ why: `it could not be rewritten: ${String(error)}` });
  }
}
