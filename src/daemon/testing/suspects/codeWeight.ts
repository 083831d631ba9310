import type { CallView } from '../../../model/questions/query.ts';
import { sourceText } from '../../../testing/testSource.ts';

const mostLines = 200;
/** What a function decides or computes: branches, loops, arithmetic, comparisons. */
const decisions =
  /\b(?:if|else|for|while|match|case|switch|break|continue|return .*\?)\b|&&|\|\||[<>=!]=|(?<=[\w)\]] )[-+*/%<>&|^](?= ?[\w(])|<<|>>|[-+*/%&|^]=|\+\+|--/g;
/** From this count of decisions on, a further one adds no weight. */
const many = 8;

interface CodeShape {
  readonly decisions: number;
  readonly lines: number;
}

/** How much there is in a function that can be wrong: -1 nothing is decided or computed, up to 1. */
export class CodeWeights {
  readonly #lines = new Map<string, readonly string[] | null>();
  readonly #shapes = new Map<string, CodeShape | null>();

  of(call: CallView): number {
    const shape = this.shapeOf(call);
    if (shape === null) return 0;
    return shape.decisions === 0 ? -1 : Math.min(1, shape.decisions / many);
  }

  /** Null where its text is not found, or a macro holds what it does. */
  shapeOf({ file, line }: CallView): CodeShape | null {
    if (file === null || line === null) return null;
    const key = `${file}:${line}`;
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const shape = shapeOf(this.#linesOf(file), line);
    this.#shapes.set(key, shape);
    return shape;
  }

  #linesOf(file: string): readonly string[] | null {
    const known = this.#lines.get(file);
    if (known !== undefined) return known;
    const lines = sourceText(file)?.split('\n') ?? null;
    this.#lines.set(file, lines);
    return lines;
  }
}

function shapeOf(lines: readonly string[] | null, line: number): CodeShape | null {
  const body = lines && braced(lines.slice(line - 1, line - 1 + mostLines));
  if (body === null) return null;
  const code = body.map((text) =>
    text.replace(/\/\/.*$|^\s*(?:\*|\/\*).*$|"(?:[^"\\]|\\.)*"/g, ''),
  );
  const text = code.join('\n');
  const count = text.match(decisions)?.length ?? 0;
  return count === 0 && hidden.test(text) ? null : { decisions: count, lines: code.length };
}

/** A macro of the project's own, which may hold anything. */
const hidden =
  /\b(?!(?:debug_)?assert|e?print|format|write|panic|todo|unreachable|unimplemented|vec|matches)\w+!\s*[([{]|\b[A-Z][A-Z\d_]{2,}\(/;

/** From the first brace to the one that closes it; null: there is none. */
function braced(lines: readonly string[]): string[] | null {
  const text = lines.join('\n');
  const from = text.indexOf('{');
  if (from < 0) return null;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return text.slice(from, at).split('\n');
  }
  return text.slice(from).split('\n');
}
