import { gather } from './gather.js';

export async function page(names) {
  const items = await gather(names);
  return items.map((item, at) => `${at + 1}. ${item}`).join('\n');
}
