import { Account } from './account.js';
import { inOrder } from './order.js';
import { parseEvent } from './parse.js';

export function replay(lines) {
  const account = new Account();
  for (const event of inOrder(lines.map(parseEvent))) account.apply(event);
  return account;
}
