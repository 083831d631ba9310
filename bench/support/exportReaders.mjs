/* Counts what an export holds, a piece of the file after the other. */
import { createReadStream, readFileSync } from 'node:fs';

const pieces = (path, encoding) => createReadStream(path, { encoding, highWaterMark: 1 << 20 });

/** How often a text of Latin letters is in a file. */
export function countOf(needle) {
  return async (path) => {
    let count = 0;
    let rest = '';
    for await (const part of pieces(path, 'latin1')) {
      const text = rest + part;
      let at = -1;
      while ((at = text.indexOf(needle, at + 1)) >= 0) count++;
      rest = text.slice(1 - needle.length);
    }
    return count;
  };
}

/** Calls that the frames of a flame graph say they stand for. */
export function flameGraphCalls(path) {
  const told = readFileSync(path, 'utf8').matchAll(/, (\d+) calls?<\/title>/g);
  return [...told].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

/** Nanoseconds of all lines. */
export function foldedTime(path) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** Slices that begin (perfetto/protos/perfetto/trace: Trace.packet 1, TracePacket.track_event 11, TrackEvent.type 9). */
export async function perfettoSlices(path) {
  let slices = 0;
  let rest = Buffer.alloc(0);
  for await (const part of pieces(path)) {
    const bytes = Buffer.concat([rest, part]);
    let at = 0;
    for (;;) {
      // A packet's tag has one byte, its length four.
      if (bytes.length - at < 5) break;
      const packet = varint(bytes, at + 1);
      if (bytes[at] !== 0x0a) throw new Error(`no packet but ${bytes[at]} at ${at}`);
      if (packet.end + packet.value > bytes.length) break;
      at = packet.end + packet.value;
      const event = field(bytes, packet.end, at, 11);
      if (event && field(bytes, event.at, event.end, 9)?.value === 1) slices++;
    }
    rest = bytes.subarray(at);
  }
  if (rest.length > 0) throw new Error(`${rest.length} bytes of a packet that is not whole`);
  return slices;
}

function varint(bytes, from) {
  let value = 0;
  let scale = 1;
  for (let at = from; ; at++) {
    value += (bytes[at] & 0x7f) * scale;
    scale *= 0x80;
    if (bytes[at] < 0x80) return { value, end: at + 1 };
  }
}

/** The first field of a number in a message. */
function field(bytes, from, to, number) {
  for (let at = from; at < to;) {
    const tag = varint(bytes, at);
    const wire = tag.value % 8;
    const { value, end } = wire === 1 ? { value: 0, end: tag.end + 8 } : varint(bytes, tag.end);
    at = wire === 2 ? end + value : end;
    if (tag.value >> 3 === number) return { value, at: end, end: at };
  }
  return null;
}
