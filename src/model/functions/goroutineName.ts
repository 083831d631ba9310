/** `goroutine 7 of 1`: what its calls are shown under, with the goroutine that made it; 0: none did. */
export function goroutineName(number: number, creator: number): string {
  return creator === 0 ? `goroutine ${number}` : `goroutine ${number} of ${creator}`;
}

/** The numbers in such a name; null: it is another. */
export function readGoroutineName(
  name: string,
): { readonly number: number; readonly creator: number } | null {
  const found = /^goroutine (\d+)(?: of (\d+))?$/.exec(name);
  return found ? { number: Number(found[1]), creator: Number(found[2] ?? 0) } : null;
}
