import type { Readable } from 'node:stream';

/** The chunks of a stream of bytes, typed. */
export async function* readChunks(stream: Readable): AsyncGenerator<Buffer> {
  const source: AsyncIterable<unknown> = stream;
  for await (const chunk of source) {
    if (chunk instanceof Uint8Array)
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    else yield Buffer.from(String(chunk));
  }
}

/** Everything up to the end of a stream. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readChunks(stream)) parts.push(part);
  return Buffer.concat(parts);
}
