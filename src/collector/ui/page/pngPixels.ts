import { inflateSync } from 'node:zlib';
import { StrobeError } from '../../../model/errors.ts';
import type { Picture } from '../picture.ts';

const SIGNATURE_BYTES = 8;
const MOST_BYTES = 256 << 20;

/** The pixels of a PNG file of 8 bits a colour, as browsers make them. Throws INTERNAL for another. */
export function pixelsOfPng(file: Buffer): Picture {
  const data: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at);
    const body = file.subarray(at + 8, at + 8 + length);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(body);
    at += length + 12;
  }
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const samples = { 2: 3, 6: 4 }[file[25] ?? 0];
  if (samples === undefined || file[24] !== 8 || file[28] !== 0)
    throw new StrobeError('INTERNAL', 'The browser made a picture of another form.');
  const rows = inflateSync(Buffer.concat(data), { maxOutputLength: MOST_BYTES });
  const stride = width * samples;
  const pixels = Buffer.alloc(width * height * 4);
  let above = Buffer.alloc(stride);
  for (let row = 0; row < height; row++) {
    const from = row * (stride + 1);
    const line = rows.subarray(from + 1, from + 1 + stride);
    unfilter(line, above, samples, rows[from] ?? 0);
    for (let column = 0; column < width; column++)
      for (const [to, colour] of [2, 1, 0].entries())
        pixels[(row * width + column) * 4 + to] = line[column * samples + colour] ?? 0;
    above = line;
  }
  return { width, height, pixels };
}

/** A row is written as what it differs by from its neighbours. */
function unfilter(line: Buffer, above: Buffer, step: number, filter: number): void {
  for (let at = 0; at < line.length; at++) {
    const left = at < step ? 0 : (line[at - step] ?? 0);
    const up = above[at] ?? 0;
    const corner = at < step ? 0 : (above[at - step] ?? 0);
    const guess = [0, left, up, (left + up) >> 1, nearestOf(left, up, corner)][filter] ?? 0;
    line[at] = ((line[at] ?? 0) + guess) & 0xff;
  }
}

function nearestOf(left: number, up: number, corner: number): number {
  const sum = left + up - corner;
  const toLeft = Math.abs(sum - left);
  const toUp = Math.abs(sum - up);
  const toCorner = Math.abs(sum - corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
