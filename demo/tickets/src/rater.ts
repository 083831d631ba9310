import { setTimeout as nap } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';

const rates: Readonly<Record<string, number>> = { oak: 1200, elm: 1800, ash: 950 };

async function rate(hall: string): Promise<number> {
  // The books of the larger halls take longer.
  await nap(hall.length * 10 + (rates[hall] ?? 0) / 50);
  return rates[hall] ?? 0;
}

parentPort?.on('message', ({ number, hall }: { number: number; hall: string }) => {
  void rate(hall).then((found) => parentPort?.postMessage({ number, rate: found }));
});
