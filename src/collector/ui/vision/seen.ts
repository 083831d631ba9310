import type { Box } from '../box.ts';
import type { Picture } from '../picture.ts';
import { difference, roundness, shapesIn, squareness, type Shape } from './surfaces.ts';

/** What looks like something to be used, in a picture. */
export interface Seen extends Box {
  readonly role: 'knob' | 'slider';
  /** The share of its range, 0 to 1. */
  readonly value: number;
  /** How well its shape and its pointer or thumb fit, 0 to 1. */
  readonly confidence: number;
}

const LEAST_DIAMETER = 20;
const LEAST_ROUND = 0.85;
const LEAST_SQUARE = 0.9;
const LEAST_TRACK = 40;
/** Knobs turn from half past seven to half past four: 270 degrees, as on most panels. */
const SWEEP = 270;
const FIRST_ANGLE = 225;

/** Where the pointer of a knob stands at a share of its range; degrees, counterclockwise from the right. */
export function angleOf(value: number): number {
  return FIRST_ANGLE - SWEEP * value;
}

/** Knobs with a pointer, sliders with a track and a thumb. */
export function seenIn(picture: Picture): Seen[] {
  const shapes = shapesIn(picture);
  return [...knobs(picture, shapes), ...sliders(shapes)];
}

function knobs(picture: Picture, shapes: readonly Shape[]): Seen[] {
  const found: Seen[] = [];
  const round = shapes
    .filter((shape) => shape.width >= LEAST_DIAMETER && roundness(shape) >= LEAST_ROUND)
    .toSorted((one, other) => other.width - one.width);
  for (const shape of round) {
    if (found.some((knob) => holds(knob, shape))) continue;
    const pointer = pointerOf(picture, shape);
    if (pointer === null) continue;
    const value = ((((FIRST_ANGLE - pointer.angle) % 360) + 360) % 360) / SWEEP;
    if (value > 1 + 15 / SWEEP && value < (360 - 15) / SWEEP) continue; // No such position.
    const { x, y, width, height } = shape;
    const isBelowFirst = value >= (360 - 15) / SWEEP;
    const confidence = roundness(shape) * pointer.sureness;
    found.push({
      role: 'knob',
      x,
      y,
      width,
      height,
      value: isBelowFirst ? 0 : Math.min(1, value),
      confidence,
    });
  }
  return found;
}

/** Where the pixels lie that differ from the face of a knob; degrees, counterclockwise from the right. */
function pointerOf(
  picture: Picture,
  { x, y, width, height }: Shape,
): { readonly angle: number; readonly sureness: number } | null {
  const radius = width / 2;
  const [middleX, middleY] = [x + width / 2 - 0.5, y + height / 2 - 0.5];
  const face = faceOf(picture, middleX, middleY, radius);
  let [right, up, count] = [0, 0, 0];
  for (let row = y; row < y + height; row++)
    for (let column = x; column < x + width; column++) {
      const [across, above] = [column - middleX, middleY - row];
      const away = Math.hypot(across, above) / radius;
      if (away < 0.4 || away > 0.75) continue;
      if (difference(picture, row * picture.width + column, face) < 90) continue;
      right += across / (away * radius);
      up += above / (away * radius);
      count++;
    }
  if (count < 4) return null;
  const sureness = Math.hypot(right, up) / count;
  return sureness < 0.9 ? null : { angle: (Math.atan2(up, right) * 180) / Math.PI, sureness };
}

/** A pixel of the colour that most of eight around the middle of a knob are near to. */
function faceOf(picture: Picture, x: number, y: number, radius: number): number {
  const around = Array.from({ length: 8 }, (_, turn) => {
    const angle = ((turn + 0.5) * Math.PI) / 4;
    const column = Math.round(x + 0.6 * radius * Math.cos(angle));
    return Math.round(y - 0.6 * radius * Math.sin(angle)) * picture.width + column;
  });
  const nearTo = (one: number): number =>
    around.reduce((sum, other) => sum + Math.min(90, difference(picture, one, other)), 0);
  return around.reduce((best, one) => (nearTo(one) < nearTo(best) ? one : best));
}

/** A thumb across a narrow track, of which a part shows on at least one side of it. */
function sliders(shapes: readonly Shape[]): Seen[] {
  const square = shapes.filter((shape) => squareness(shape) >= LEAST_SQUARE);
  const found: Seen[] = [];
  for (const thumb of square)
    for (const isUpright of [true, false]) {
      const t = along(thumb, isUpright);
      const tracks = square
        .map((shape) => along(shape, isUpright))
        .filter((track) => track.breadth < t.breadth * 0.6 && track.length > track.breadth)
        .filter((track) => Math.abs(track.middle - t.middle) <= 2)
        .filter((track) => touches(track, t));
      if (tracks.length === 0) continue;
      const begin = Math.min(t.from, ...tracks.map(({ from }) => from));
      const end = Math.max(t.to, ...tracks.map(({ to }) => to));
      if (end - begin < LEAST_TRACK || t.length > (end - begin) / 3) continue;
      const share = clamped(((t.from + t.to) / 2 - begin) / (end - begin));
      const box = isUpright
        ? { x: thumb.x, y: begin, width: thumb.width, height: end - begin }
        : { x: begin, y: thumb.y, width: end - begin, height: thumb.height };
      const confidence = squareness(thumb) * (tracks.length > 1 ? 0.9 : 0.7);
      const seen: Seen = {
        role: 'slider',
        ...box,
        value: isUpright ? 1 - share : share,
        confidence,
      };
      if (!found.some((one) => holds(one, seen))) found.push(seen);
    }
  return found;
}

interface Along {
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly breadth: number;
  readonly middle: number;
}

function along({ x, y, width, height }: Shape, isUpright: boolean): Along {
  return isUpright
    ? { from: y, to: y + height, length: height, breadth: width, middle: x + width / 2 }
    : { from: x, to: x + width, length: width, breadth: height, middle: y + height / 2 };
}

/** With no more than an outline between them. */
function touches(track: Along, thumb: Along): boolean {
  const room = 6;
  return Math.abs(track.to - thumb.from) <= room || Math.abs(track.from - thumb.to) <= room;
}

function holds(outer: Box, inner: Box): boolean {
  const [x, y] = [inner.x + inner.width / 2, inner.y + inner.height / 2];
  return x >= outer.x && x <= outer.x + outer.width && y >= outer.y && y <= outer.y + outer.height;
}

function clamped(value: number): number {
  return Math.min(1, Math.max(0, value));
}
