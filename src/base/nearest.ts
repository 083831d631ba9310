/**
 * The candidates a misspelled word probably meant, best first: a small edit distance (insertion,
 * deletion, substitution, swap of neighbours; case counts less), or one contains the other.
 */
export function nearest(word: string, candidates: readonly string[], atMost = 1): string[] {
  const wanted = word.toLowerCase().slice(0, 100);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return candidates
    .map((candidate) => ({
      candidate,
      distance: distanceTo(wanted, candidate.toLowerCase(), limit),
    }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, atMost)
    .map(({ candidate }) => candidate);
}

function distanceTo(wanted: string, candidate: string, limit: number): number {
  const edits = editDistance(wanted, candidate.slice(0, 100));
  const [short, long] =
    wanted.length < candidate.length ? [wanted, candidate] : [candidate, wanted];
  // `timeout` means timeoutMs although three letters are missing.
  return short.length >= 4 && long.startsWith(short) ? Math.min(edits, limit) : edits;
}

/** Damerau–Levenshtein distance (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped(a, b, row, column) ? at(before, column - 2) + 1 : Infinity,
      );
      current.push(cost);
    }
    before = last;
    last = current;
  }
  return at(last, b.length);
}

function swapped(a: string, b: string, row: number, column: number): boolean {
  return row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
}

function at(costs: readonly number[], column: number): number {
  return costs[column] ?? 0;
}
