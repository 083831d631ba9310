import { Kind, later, Order, type Line } from './order';

// Where a loader hands modules on, a frame of the tracing counts.
Error.stackTraceLimit = 30;

function never(line: Line): string {
  return line.kind;
}

function main(fails: boolean): void {
  const order = new Order('tea', [
    { kind: Kind.Goods, price: { amount: 3 } },
    { kind: Kind.Service, price: { amount: 4 } },
  ]);
  console.log(order.total(), order.size);
  void later(order).then((text) => {
    console.log(text);
  });
  try {
    new Order('broken', [{ kind: Kind.Goods }]).total();
  } catch (error) {
    console.log((error as Error).stack);
  }
  if (fails) new Order('broken', [{ kind: Kind.Service }]).total();
  else if (process.argv.length > 99) never({ kind: Kind.Goods });
}

main(process.argv.includes('fails'));
