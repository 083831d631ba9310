import { constants, crc32, deflate } from 'node:zlib';
import { promisify } from 'node:util';
import type { Box } from './box.ts';

/** Pixels as an X server gives them: 4 bytes each, blue first. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const bitsPerSample = 8;
const colourRgb = 2;
const FILTER_SUB = 1;
const FILTER_UP = 2;
/** With the filters below, most of a screen is zeros in a row: nothing else need be looked for. */
const compression = { level: 1, strategy: constants.Z_RLE, memLevel: 9, chunkSize: 1 << 18 };
const compressed = promisify(deflate);

/** The picture as a PNG file. */
export async function pngOf(picture: Picture): Promise<Buffer> {
  const { width, height } = picture;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = bitsPerSample;
  header[9] = colourRgb;
  const words = wordsOf(picture);
  const rows = Buffer.alloc((width * 3 + 1) * height);
  let to = 0;
  for (let row = 0; row < height; row++) {
    if (isRepeated(picture, row)) {
      // Nothing is added to the row above, as in most rows of a window.
      rows[to] = FILTER_UP;
      to += width * 3 + 1;
      continue;
    }
    // What each pixel adds to the one before it: most are as that one.
    rows[to++] = FILTER_SUB;
    let before = 0;
    for (let at = row * width; at < (row + 1) * width; at++) {
      const word = words[at] ?? 0;
      if (word !== before) {
        rows[to] = (word >> 16) - (before >> 16);
        rows[to + 1] = (word >> 8) - (before >> 8);
        rows[to + 2] = word - before;
        before = word;
      }
      to += 3;
    }
  }
  const data = await compressed(rows, compression);
  const chunks = [chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

function isRepeated({ width, pixels }: Picture, row: number): boolean {
  const [above, here, below] = [row - 1, row, row + 1].map((each) => each * width * 4);
  return row > 0 && pixels.compare(pixels, above, here, here, below) === 0;
}

/** A number for each pixel: read in a third of the time of its bytes one by one. */
function wordsOf({ width, height, pixels }: Picture): Uint32Array {
  const isAligned = pixels.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset } = isAligned ? pixels : new Uint8Array(pixels);
  return new Uint32Array(buffer, byteOffset, width * height);
}

/** A part of a picture, no further than that goes. */
export function partOf(picture: Picture, part: Box): Picture {
  const [left, top] = [Math.max(0, Math.round(part.x)), Math.max(0, Math.round(part.y))];
  const width = Math.max(0, Math.min(picture.width - left, Math.round(part.width)));
  const height = Math.max(0, Math.min(picture.height - top, Math.round(part.height)));
  const pixels = Buffer.alloc(width * height * 4);
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * picture.width + left) * 4;
    picture.pixels.copy(pixels, row * width * 4, from, from + width * 4);
  }
  return { width, height, pixels };
}

/** Grey, twice as wide and as high, and smooth: as OCR reads small letters best. */
export function legible({ width, height, pixels }: Picture): Picture {
  const grey = new Float32Array(width * height);
  for (const at of grey.keys()) {
    const [blue = 0, green = 0, red = 0] = pixels.subarray(at * 4, at * 4 + 3);
    grey[at] = 0.3 * red + 0.59 * green + 0.11 * blue;
  }
  const larger = Buffer.alloc(width * height * 16);
  for (let row = 0; row < height * 2; row++) {
    const [above, below, down] = between(row, height);
    for (let column = 0; column < width * 2; column++) {
      const [left, right, across] = between(column, width);
      const mixed = (line: number): number =>
        (grey[line * width + left] ?? 0) * (1 - across) +
        (grey[line * width + right] ?? 0) * across;
      const shade = Math.round(mixed(above) * (1 - down) + mixed(below) * down);
      larger.fill(shade, (row * width * 2 + column) * 4, (row * width * 2 + column) * 4 + 4);
    }
  }
  return { width: width * 2, height: height * 2, pixels: larger };
}

/** The two pixels that one of twice as many is between, and how far it is from the first. */
function between(place: number, count: number): readonly [number, number, number] {
  const at = Math.min(count - 1, Math.max(0, (place + 0.5) / 2 - 0.5));
  const first = Math.floor(at);
  return [first, Math.min(count - 1, first + 1), at - first];
}

/** A picture no wider and no higher than `most`: each pixel is the mean of those it stands for. */
export function scaled(picture: Picture, most: number): Picture {
  const step = Math.ceil(Math.max(picture.width, picture.height) / most);
  if (step <= 1) return picture;
  const width = Math.floor(picture.width / step);
  const height = Math.floor(picture.height / step);
  const pixels = Buffer.alloc(width * height * 4);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      for (let colour = 0; colour < 3; colour++)
        pixels[(row * width + column) * 4 + colour] = mean(
          picture,
          row * step,
          column * step,
          step,
          colour,
        );
  return { width, height, pixels };
}

function mean(picture: Picture, row: number, column: number, step: number, colour: number): number {
  let sum = 0;
  for (let down = 0; down < step; down++)
    for (let right = 0; right < step; right++) {
      const pixel = (row + down) * picture.width + column + right;
      sum += picture.pixels[pixel * 4 + colour] ?? 0;
    }
  return Math.round(sum / (step * step));
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
