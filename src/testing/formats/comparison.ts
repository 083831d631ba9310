/** Both sides of a comparison, as far as a framework's text tells them. */
export interface Sides {
  readonly expected: string | null;
  readonly actual: string | null;
}

const none: Sides = { expected: null, actual: null };

/** GoogleTest: `Expected equality of these values:` with two values, the first is the actual one. */
export function googleTestSides(message: string): Sides {
  const lines = message.split('\n');
  const start = lines.findIndex((line) => line.startsWith('Expected equality of these values'));
  if (start < 0) return none; // Other comparisons have no side that was expected.
  const values: string[] = [];
  for (const line of lines.slice(start + 1)) {
    const which = /^ {4}Which is: (.*)$/.exec(line)?.[1];
    if (which !== undefined) values[values.length - 1] = which;
    else if (/^ {2}\S/.test(line) && values.length < 2) values.push(line.trim());
    else break;
  }
  const [actual, expected] = values;
  return actual === undefined || expected === undefined ? none : { expected, actual };
}

/** Catch2's expanded expression: `3 == 2`. */
export function catchSides(expanded: string): Sides {
  const parts = expanded.split(' == ');
  const [actual, expected] = parts;
  return parts.length === 2 && actual !== undefined && expected !== undefined
    ? { expected: expected.trim(), actual: actual.trim() }
    : none;
}

/** Rust's `left:` and `right:`; the left one is the actual one by custom. */
export function rustSides(message: string): Sides {
  const left = /^\s*left: `?(.*?)`?,?$/m.exec(message)?.[1];
  const right = /^\s*right: `?(.*?)`?$/m.exec(message)?.[1];
  return left === undefined || right === undefined ? none : { expected: right, actual: left };
}

/** doctest's `values: CHECK( -6 == 8 )`. */
export function doctestSides(message: string): Sides {
  const told = /^\s*values: \w+\( (.*) \)$/m.exec(message)?.[1];
  return told === undefined ? none : catchSides(told);
}
