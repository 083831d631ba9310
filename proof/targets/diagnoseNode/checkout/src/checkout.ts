import { ordersFrom } from './orders.ts';
import { reserve } from './reserve.ts';
import type { Stock } from './stock.ts';

export async function checkout(stock: Stock, text: string): Promise<string[]> {
  const served: string[] = [];
  for (const { customer, article } of ordersFrom(text))
    if (await reserve(stock, article)) served.push(customer);
  return served;
}
