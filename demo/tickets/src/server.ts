import { createServer, type IncomingMessage, type Server } from 'node:http';
import { checkout } from './checkout.ts';
import type { Order } from './order.ts';

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  return text;
}

export function makeServer(): Server {
  return createServer((request, response) => {
    void answer(request).then((text) => response.end(text));
  });
}

async function answer(request: IncomingMessage): Promise<string> {
  const order = JSON.parse(await bodyOf(request)) as Order;
  return JSON.stringify(await checkout(order));
}
