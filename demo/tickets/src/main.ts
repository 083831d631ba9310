/* A small box office: an HTTP service, customers that order from it, and an auditor that goes over the bills. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as nap } from 'node:timers/promises';
import { audited } from './audit.ts';
import { closeRates } from './rates.ts';
import { makeServer } from './server.ts';
import type { Bill, Order } from './order.ts';

const halls = ['oak', 'elm', 'ash'];

/** The next of a fixed row of numbers, so that each run has the same orders. */
function* numbers(): Generator<number, never> {
  for (let state = 7; ; state = (state * 1103515245 + 12345) % 2147483648) yield state >>> 8;
}

const row = numbers();
const below = (limit: number): number => row.next().value % limit;

function nextOrder(number: number): Order {
  return {
    id: `T-${1000 + number}`,
    hall: halls[below(halls.length)] ?? 'oak',
    seats: 1 + below(6),
    isMember: below(4) === 0,
  };
}

async function send(port: number, order: Order): Promise<Bill> {
  const response = await fetch(`http://127.0.0.1:${port}/orders`, {
    method: 'POST',
    body: JSON.stringify(order),
  });
  return (await response.json()) as Bill;
}

async function main(seconds: number): Promise<void> {
  const server = makeServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  console.log('selling');
  const until = Date.now() + seconds * 1000;
  for (let number = 0; Date.now() < until; number++) {
    const order = nextOrder(number);
    const sold = send(port, order).then((bill) => audited(order, bill));
    // Now and then the next customer does not wait for this one.
    if (below(9) > 0) await sold;
    await nap(20 + below(30));
  }
  server.close();
  server.closeAllConnections();
  closeRates();
}

await main(Number(process.argv[2] ?? '60'));
