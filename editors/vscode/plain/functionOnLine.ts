/** Words that stand before a bracket and are no function. */
const keywords = new Set(
  'if for while switch catch return sizeof match when elif function def fn func async await new __attribute__ __declspec alignas decltype noexcept'.split(
    ' ',
  ),
);

/** The function that a line of source defines or calls, preferring the one at this column; null: none. */
export function functionOnLine(line: string, column: number): string | null {
  const names = [...line.matchAll(/([A-Za-z_$][\w$]*)\s*(?:<[^<>()]*>)?\s*\(/g)]
    .map((match) => ({ name: match[1] ?? '', start: match.index }))
    .filter(({ name }) => !keywords.has(name));
  const chosen = names.find(({ name, start }) => start <= column && column <= start + name.length);
  return (chosen ?? names[0])?.name ?? null;
}
