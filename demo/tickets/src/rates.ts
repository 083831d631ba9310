import { Worker } from 'node:worker_threads';

/** Rates are worked out by a thread of its own. */
const worker = new Worker(new URL('./rater.mjs', import.meta.url));
const waiting = new Map<number, (rate: number) => void>();
let next = 1;

worker.on('message', ({ number, rate }: { number: number; rate: number }) => {
  waiting.get(number)?.(rate);
  waiting.delete(number);
});

export function rateOf(hall: string): Promise<number> {
  const number = next++;
  return new Promise((resolve) => {
    waiting.set(number, resolve);
    worker.postMessage({ number, hall });
  });
}

export function closeRates(): void {
  void worker.terminate();
}
