import type { Stock } from './stock.ts';

export async function reserve(stock: Stock, name: string): Promise<boolean> {
  const left = await stock.left(name);
  if (left === 0) return false;
  void stock.set(name, left - 1);
  return true;
}
