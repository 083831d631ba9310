import type { CallView } from '../../../model/questions/query.ts';

/** `area` of `geometry::area<int>`, `total` of `shop.Cart.total`. */
export function lastName({ function: name, file }: Pick<CallView, 'function' | 'file'>): string {
  if (isPython({ file })) return name.split('.').at(-1) ?? name;
  const plain = name.replace(/<[^<>]*(?:<[^<>]*>[^<>]*)*>$/, '');
  return plain.split('::').at(-1) ?? plain;
}

/** Its values are read as they are, and texts and containers tell more of it than numbers. */
export function isPython({ file }: Pick<CallView, 'file'>): boolean {
  return file?.endsWith('.py') ?? false;
}
