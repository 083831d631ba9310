/** Lines of a function that are looked through. */
const MOST_LINES = 2000;

/**
 * The line at which a function took a lock by `acquire` and has not released it again up to the line it is at; null:
 * none. `names`: how the function may spell the lock. Lines count as they stand: which way the function took is not known.
 */
export function takenAt(
  text: string,
  firstLine: number,
  line: number,
  names: readonly string[],
): number | null {
  if (names.length === 0) return null;
  const spelled = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const call = new RegExp(`(?<![\\w.])(?:${spelled})\\.(acquire|release)\\s*\\(`, 'g');
  const lines = text.split('\n').slice(firstLine - 1, line);
  let taken: number | null = null;
  for (const [i, one] of lines.slice(0, MOST_LINES).entries()) {
    for (const [, method] of one.replace(/#.*$/, '').matchAll(call))
      taken = method === 'acquire' ? firstLine + i : null;
  }
  return taken;
}
