import { Cart, later } from './cart.ts';
import plain from './plain.cjs';

interface Broken {
  readonly inner?: { readonly text: string };
}

function main(): number {
  return new Cart().add(1).add(plain.half(16)).total();
}

function breaks(broken: Broken): string {
  return broken.inner!.text;
}

console.log(main(), await later(1), main.toString(), Deno.env.get('NODE_OPTIONS'));
try {
  await later(9);
} catch (error) {
  console.log((error as Error).stack);
}
if (Deno.args[0] === 'child') {
  const child = new Deno.Command(Deno.execPath(), { args: ['run', '-A', import.meta.filename!] });
  console.log(new TextDecoder().decode((await child.output()).stdout));
}
if (Deno.args[0] === 'breaks') breaks({});
