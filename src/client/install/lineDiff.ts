/** Lines that differ between two texts that are alike at both ends, as `diff -u` shows them; empty when none do. */
export function lineDiff(before: string, after: string): string {
  const [left, right] = [before, after].map((text) => text.split('\n'));
  if (!left || !right || before === after) return '';
  const shorter = Math.min(left.length, right.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const lines = [
    ...left.slice(Math.max(0, head - shown), head).map((line) => `  ${line}`),
    ...left.slice(head, left.length - tail).map((line) => `- ${line}`),
    ...right.slice(head, right.length - tail).map((line) => `+ ${line}`),
    ...right.slice(right.length - tail, right.length - tail + shown).map((line) => `  ${line}`),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Lines shown around a change. */
const shown = 2;
