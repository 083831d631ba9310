import { Cart } from './cart.ts';

Deno.test('adds up', () => {
  if (new Cart().add(2).add(3).total() !== 5) throw new Error('no five');
});

Deno.test('counts', () => {
  if (new Cart().add(2).total() !== 1) throw new Error('no one');
});
