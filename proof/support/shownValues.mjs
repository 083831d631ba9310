/* What an answer shows of a value beside what the program printed of it as JSON. */

/** Counts: `right` parts, parts that are `untold`, and `wrong` ones with their paths. */
export class Comparison {
  right = 0;
  untold = 0;
  wrong = [];

  add(shown, printed, path) {
    if (isUntold(shown)) this.untold++;
    else if (Array.isArray(printed)) this.#list(shown, printed, path);
    else if (typeof printed === 'object' && printed !== null) this.#fields(shown, printed, path);
    else if (isCut(shown, printed)) this.untold++;
    else if (isSame(shown, printed)) this.right++;
    else this.wrong.push(`${path}: ${JSON.stringify(shown)}, printed ${JSON.stringify(printed)}`);
  }

  #list(shown, printed, path) {
    if (typeof shown === 'string' && /^\[\d+ elements?\]$/.test(shown)) {
      this.untold++;
      return;
    }
    if (!Array.isArray(shown)) return this.#differ(shown, printed, path);
    const [, left] = /^…\(\+(\d+)\)$/.exec(String(shown.at(-1))) ?? [];
    const there = left === undefined ? shown : shown.slice(0, -1);
    if (there.length + Number(left ?? 0) !== printed.length)
      return this.#differ(shown, printed, path);
    if (left !== undefined) this.untold++;
    for (const [i, one] of there.entries()) this.add(one, printed[i], `${path}[${i}]`);
  }

  #fields(shown, printed, path) {
    if (typeof shown === 'string' && /^\{\d+ entr(y|ies)\}$/.test(shown)) {
      this.untold++;
      return;
    }
    if (typeof shown !== 'object' || shown === null) return this.#differ(shown, printed, path);
    for (const name of Object.keys(printed))
      this.add(shown[name], printed[name], `${path}.${name}`);
  }

  #differ(shown, printed, path) {
    this.wrong.push(`${path}: ${JSON.stringify(shown)}, printed ${JSON.stringify(printed)}`);
  }
}

function isUntold(shown) {
  return shown === undefined || typeof shown?.notCaptured === 'string';
}

/** A text that is cut says so. */
function isCut(shown, printed) {
  if (typeof shown !== 'string' || typeof printed !== 'string' || !shown.endsWith('…'))
    return false;
  return printed.startsWith(shown.slice(0, -1).trimEnd());
}

function isSame(shown, printed) {
  if (typeof shown !== 'number' || typeof printed !== 'number') return shown === printed;
  return Math.abs(shown - printed) <= Math.abs(printed) * 1e-5;
}

/** Without addresses, which no program can print of itself. */
export function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'address');
  const [only] = fields;
  if (only?.[0] === 'value' && fields.length === 1 && 'address' in value) return bare(only[1]);
  return Object.fromEntries(fields.map(([name, inner]) => [name, bare(inner)]));
}
