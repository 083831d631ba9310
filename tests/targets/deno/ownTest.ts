import { Cart } from './cart.ts';

/* What tests see of the runner around them. */

Deno.test.beforeEach(() => console.log('before each'));

Deno.test('shows its stack', async (context) => {
  console.log(new Error('here').stack);
  new Cart().add(1);
  await new Promise((resolve) => setTimeout(resolve, 10));
  new Cart().add(2);
  await context.step('step', () => {
    new Cart().add(3);
    throw new Error(context.name);
  });
});

Deno.test({ name: 'waits', sanitizeOps: false, sanitizeResources: false }, async function named() {
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(named.name, named.length, Deno.test.toString().slice(0, 14), Deno.test.name);
  new Cart().add(4);
});

Deno.test.each([[5], [6]])('each %d', (price: number) => {
  new Cart().add(price);
});

Deno.test.ignore('is left out', () => {});

Deno.test(function breaks() {
  throw new TypeError(new Cart().add(7).toString());
});
