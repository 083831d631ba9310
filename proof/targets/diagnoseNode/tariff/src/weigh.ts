export interface Item {
  name: string;
  grams: number;
}

export function kilosOf(items: readonly Item[]): number {
  const grams = items.reduce((sum, item) => sum + item.grams, 0);
  return Math.ceil(grams / 1000);
}
