import type { Box } from '../box.ts';
import type { Picture } from '../picture.ts';

/** Neighbours that differ by less, over three colours, are of one surface. */
const SAME_SURFACE = 24;
const LEAST_SIDE = 4;

/** A surface of one colour, or of one that changes slowly, in pixels of the picture. */
export interface Shape extends Box {
  /** The first and the last column of each row, from `y` on. */
  readonly rows: readonly { readonly from: number; readonly to: number }[];
}

/** The surfaces of a picture, without those that are the whole of it. */
export function shapesIn(picture: Picture): Shape[] {
  const { width, height } = picture;
  const isSeen = new Uint8Array(width * height);
  const shapes: Shape[] = [];
  for (let start = 0; start < width * height; start++) {
    if (isSeen[start] === 1) continue;
    const shape = surfaceAt(picture, start, isSeen);
    const isSmall = shape.width < LEAST_SIDE || shape.height < LEAST_SIDE;
    if (!isSmall && shape.width < width - 2 && shape.height < height - 2) shapes.push(shape);
  }
  return shapes;
}

function surfaceAt(picture: Picture, start: number, isSeen: Uint8Array): Shape {
  const { width, height } = picture;
  const rows = new Map<number, { from: number; to: number }>();
  const open = [start];
  isSeen[start] = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [column, row] = [at % width, Math.floor(at / width)];
    const known = rows.get(row);
    if (known === undefined) rows.set(row, { from: column, to: column });
    else {
      known.from = Math.min(known.from, column);
      known.to = Math.max(known.to, column);
    }
    const visit = (next: number, isInside: boolean): void => {
      if (!isInside || isSeen[next] === 1 || difference(picture, at, next) >= SAME_SURFACE) return;
      isSeen[next] = 1;
      open.push(next);
    };
    visit(at - 1, column > 0);
    visit(at + 1, column < width - 1);
    visit(at - width, row > 0);
    visit(at + width, row < height - 1);
  }
  const sorted = [...rows].toSorted(([one], [other]) => one - other).map(([, span]) => span);
  const y = Math.min(...rows.keys());
  const x = sorted.reduce((least, { from }) => Math.min(least, from), width);
  const right = sorted.reduce((most, { to }) => Math.max(most, to), 0);
  return { x, y, width: right - x + 1, height: sorted.length, rows: sorted };
}

/** How much two pixels differ, over three colours. */
export function difference({ pixels }: Picture, one: number, other: number): number {
  let sum = 0;
  for (let colour = 0; colour < 3; colour++)
    sum += Math.abs((pixels[one * 4 + colour] ?? 0) - (pixels[other * 4 + colour] ?? 0));
  return sum;
}

/** The share of its rows that end where those of a circle of its size end. */
export function roundness({ width, height, rows }: Shape): number {
  if (Math.abs(width - height) > 2 + width / 20) return 0;
  const radius = height / 2;
  const fitting = rows.filter(({ from, to }, row) => {
    const down = row + 0.5 - radius;
    const wanted = 2 * Math.sqrt(Math.max(0, radius * radius - down * down));
    return Math.abs(to - from + 1 - wanted) <= 2 + radius / 12;
  });
  return fitting.length / rows.length;
}

/** The share of its box that its rows fill. */
export function squareness({ width, height, rows }: Shape): number {
  return rows.reduce((sum, { from, to }) => sum + to - from + 1, 0) / (width * height);
}
