import type { Box } from './box.ts';
import { LETTER_HEIGHT, LETTER_WIDTH, pixelsOf } from './letters.ts';
import type { Picture } from './picture.ts';

/** What is marked in a picture, in its pixels. */
export interface Mark {
  readonly id: string;
  readonly box: Box;
}

interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

const frame: Colour = { red: 220, green: 0, blue: 90 };
const letters: Colour = { red: 255, green: 255, blue: 255 };

/** Draws a box around each element and its id beside it; the ids for which there is no room. */
export function annotate(picture: Picture, marks: readonly Mark[]): readonly string[] {
  const labels: Box[] = [];
  const omitted: string[] = [];
  for (const { id, box } of marks) {
    const label = placeOf(id, box, picture, labels);
    if (label === null) {
      omitted.push(id);
      continue;
    }
    labels.push(label);
    outline(picture, box);
    fill(picture, label, frame);
    for (const { row, column } of pixelsOf(id))
      paint(picture, label.x + column, label.y + row, letters);
  }
  return omitted;
}

/** Above the box, in its upper left corner, below it or at its right: where no other label is. */
function placeOf(
  id: string,
  { x, y, width, height }: Box,
  picture: Picture,
  labels: readonly Box[],
): Box | null {
  const size = { width: id.length * LETTER_WIDTH + 1, height: LETTER_HEIGHT };
  const places = [
    { x, y },
    { x, y: y - LETTER_HEIGHT },
    { x, y: y + height },
    { x: x + width - size.width, y: y + height - LETTER_HEIGHT },
    { x: x + width, y },
  ];
  const found = places.find(
    (place) =>
      place.x >= 0 &&
      place.y >= 0 &&
      place.x + size.width <= picture.width &&
      place.y + size.height <= picture.height &&
      labels.every((label) => !overlap({ ...place, ...size }, label)),
  );
  return found === undefined ? null : { ...found, ...size };
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

function outline(picture: Picture, { x, y, width, height }: Box): void {
  for (const row of [y, y + height - 1]) line(picture, x, row, width, frame);
  for (let row = y; row < y + height; row++)
    for (const column of [x, x + width - 1]) paint(picture, column, row, frame);
}

function fill(picture: Picture, { x, y, width, height }: Box, colour: Colour): void {
  for (let row = y; row < y + height; row++) line(picture, x, row, width, colour);
}

/** From left to right, as much as the picture has. */
function line(picture: Picture, x: number, y: number, length: number, colour: Colour): void {
  if (y < 0 || y >= picture.height) return;
  const [from, to] = [Math.max(0, x), Math.min(picture.width, x + length)];
  const begin = y * picture.width;
  const { blue, green, red } = colour;
  if (from < to)
    picture.pixels.fill(Buffer.of(blue, green, red, 0), (begin + from) * 4, (begin + to) * 4);
}

function paint({ width, height, pixels }: Picture, x: number, y: number, colour: Colour): void {
  if (x < 0 || y < 0 || x >= width || y >= height) return;
  const at = (y * width + x) * 4;
  pixels[at] = colour.blue;
  pixels[at + 1] = colour.green;
  pixels[at + 2] = colour.red;
}
