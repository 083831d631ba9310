/* Rounds in which programs measure themselves what a step of theirs takes, ns. */
import { median } from './numbers.mjs';
import { Product, openHome } from './product.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);

/** The number that a program prints for a line of its input. */
export async function numberPrinted(product, sessionId, line) {
  const text = `${line}\n`;
  await product.call('debug_session', { action: 'input', sessionId, text, eof: true });
  await product.waitForExit(sessionId);
  const asked = { view: 'output', sessionId, stream: 'stdout' };
  const { lines } = await product.call('debug_query', asked);
  return Number(lines.at(-1).text);
}

/**
 * Runs every way in every round, each second time in the other order. Gives the row of the way `none`, what each took,
 * and what it took above that way.
 */
export async function stepRows(ways, run) {
  const values = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  const home = openHome();
  try {
    const product = await Product.start(home);
    for (let round = 0; round < rounds; round++) {
      const order = Object.entries(ways);
      for (const [name, way] of round % 2 === 0 ? order : order.toReversed())
        values[name].push(await run(product, way));
    }
    await product.close();
  } finally {
    home.close();
  }
  const took = (name) => median(values[name]);
  return {
    none: { what: 'a step without one', value: took('none'), unit: 'ns', note: `${rounds} rounds` },
    took,
    above: (name) => took(name) - took('none'),
  };
}
