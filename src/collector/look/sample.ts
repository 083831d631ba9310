import { runProgram } from '../../base/process.ts';
import { processorNamed } from '../../model/processors.ts';

/** Where a running thread was, a few times in a tenth of a second. */
export interface SampledThread {
  readonly tid: number;
  /** Program counters, in order. */
  readonly places: readonly bigint[];
  /** Of the last sample: words in the order of DWARF, and its stack from the stack pointer on. */
  readonly registers: readonly bigint[];
  readonly stack: Uint8Array;
}

const sampleMs = 100;
const limitMs = 1000;
const registerCount = processorNamed(process.arch).registers.length;

/** Samples threads that run, without stopping them; those the kernel does not let us sample are left out. Never throws. */
export async function sampleThreads(
  samplerPath: string,
  tids: readonly number[],
): Promise<SampledThread[]> {
  if (tids.length === 0) return [];
  try {
    const args = [String(sampleMs), ...tids.map(String)];
    const { stdout } = await runProgram({ command: samplerPath, args }, { limitMs });
    return stdout.toString('latin1').split('thread ').flatMap(readThread);
  } catch {
    return []; // The sampler cannot be started: stacks are missing, and the rest is told.
  }
}

function readThread(text: string): SampledThread[] {
  const [head = '', ...lines] = text.split('\n');
  const values = (word: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  const registers = (values('registers')[0] ?? '').split(' ').flatMap(hexadecimal);
  if (registers.length !== registerCount) return [];
  return [
    {
      tid: Number(head),
      places: values('at').flatMap(hexadecimal),
      registers,
      stack: Uint8Array.from(Buffer.from(values('stack')[0] ?? '', 'hex')),
    },
  ];
}

function hexadecimal(text: string): bigint[] {
  return /^[0-9a-f]{1,16}$/.test(text) ? [BigInt(`0x${text}`)] : [];
}
