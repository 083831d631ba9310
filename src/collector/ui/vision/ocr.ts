import { programOn } from '../../../base/paths.ts';
import { runProgram } from '../../../base/process.ts';
import type { Box } from '../box.ts';
import { legible, pngOf, type Picture } from '../picture.ts';
import type { Guess } from './guess.ts';
import { squareness, shapesIn } from './surfaces.ts';

const LIMIT_MS = 8000;
/** Tesseract reads letters of 20 pixels and more; those of windows have half of that. */
const SCALE = 2;
/** In a row of its table (tesseract 5, TSV): a word, where it is, how sure it is (0 to 100), and what it reads. */
const WORD = '5';
const LEAST_SURE = 60;
/** Single letters are what lines and dots are taken for. */
const LEAST_SURE_OF_LETTER = 90;
const LEAST_SQUARE = 0.9;
/** Of the height of its text. */
const HIGHEST_BUTTON = 4.5;
const WIDEST_BUTTON = 25;

/** The text in pictures, read by tesseract where that is installed. */
export class Ocr {
  readonly #program: string | null;

  /** `path`: where it is looked for. */
  constructor(path: string) {
    this.#program = programOn(path, 'tesseract', []);
  }

  get isThere(): boolean {
    return this.#program !== null;
  }

  /** Texts as labels, and as buttons where a surface frames one. Throws where it fails. */
  async find(picture: Picture): Promise<Guess[]> {
    if (this.#program === null) return [];
    const input = await pngOf(legible(picture));
    const args = ['stdin', 'stdout', '--psm', '11', 'tsv'];
    const command = { command: this.#program, args };
    const { stdout, code } = await runProgram(command, { limitMs: LIMIT_MS, input });
    if (code !== 0) throw new Error(`tesseract ended with ${code ?? 'a signal'}`);
    const shapes = shapesIn(picture).filter((shape) => squareness(shape) >= LEAST_SQUARE);
    return textsIn(stdout.toString()).map((text) => {
      const frame = shapes.find((shape) => isButton(shape, text));
      return frame === undefined ? text : { ...text, ...boxOf(frame), role: 'button' };
    });
  }
}

/** Words of a line that stand close are one text. */
function textsIn(table: string): Guess[] {
  const texts: Guess[] = [];
  let lastLine = '';
  for (const row of table.split('\n')) {
    const [level, page, block, paragraph, lineNumber, , ...more] = row.split('\t');
    const [left = 0, top = 0, wide = 0, high = 0, sure = 0] = more.slice(0, 5).map(Number);
    const name = more[5]?.trim() ?? '';
    const least = name.length === 1 ? LEAST_SURE_OF_LETTER : LEAST_SURE;
    if (level !== WORD || sure < least || !/[\p{L}\p{N}]/u.test(name)) continue;
    const [x, y, width, height] = [left / SCALE, top / SCALE, wide / SCALE, high / SCALE];
    const word = { role: 'label', name, value: null, confidence: sure / 100, by: 'OCR' };
    const line = [page, block, paragraph, lineNumber].join(' ');
    const before = texts.at(-1);
    if (before !== undefined && line === lastLine && x - before.x - before.width < height) {
      const joined = `${before.name} ${name}`;
      const confidence = Math.min(before.confidence, word.confidence);
      texts.splice(-1, 1, {
        ...before,
        ...around(before, { x, y, width, height }),
        name: joined,
        confidence,
      });
    } else texts.push({ ...word, x, y, width, height });
    lastLine = line;
  }
  return texts;
}

function around(one: Box, other: Box): Box {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const width = Math.max(one.x + one.width, other.x + other.width) - x;
  const height = Math.max(one.y + one.height, other.y + other.height) - y;
  return { x, y, width, height };
}

function boxOf({ x, y, width, height }: Box): Box {
  return { x, y, width, height };
}

/** Whether a surface holds a text, and not much else. */
function isButton(shape: Box, text: Box): boolean {
  const isAround =
    shape.x <= text.x &&
    shape.y <= text.y &&
    shape.x + shape.width >= text.x + text.width &&
    shape.y + shape.height >= text.y + text.height;
  return (
    isAround &&
    shape.height <= text.height * HIGHEST_BUTTON &&
    shape.width <= text.height * WIDEST_BUTTON
  );
}
