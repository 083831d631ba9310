import { openSync, readSync, closeSync } from 'node:fs';
import { runProgram } from '../../../base/process.ts';
import type { Disassembly, Instruction } from '../../../model/debug/disassembly.ts';
import type { LineRanges } from '../../../model/debug/lineCode.ts';
import type { StackFrame } from '../../../model/endings/crashReport.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { NativeCode } from '../../native/nativeParts.ts';
import type { ProcessMaps } from './processMaps.ts';

const limitMs = 10_000;
const longestInstruction = 15;
/** Instructions of a function that are read to find where those before the wanted one begin. */
const mostBefore = 0x4000;
const lineText = /^\s*([0-9a-f]+):\s+(.*?)\s*$/;
/** ET_EXEC: it lies where its file says. */
const fixedType = 2;

/** The code around where a frame stands, as its file holds it. Throws NO_LINE. */
export async function disassemble(
  frame: StackFrame,
  maps: ProcessMaps,
  { code, count }: { readonly code: NativeCode; readonly count: number },
): Promise<Disassembly> {
  const pc = BigInt(frame.pc);
  const place = maps.placeOf(pc);
  if (place === null) throw cannot('it belongs to no file');
  const base = maps.baseOf(place.module) ?? 0n;
  const bias = isFixed(place.module) ? 0n : base;
  const from = pc - BigInt(Math.min(frame.offset, mostBefore));
  const to = pc + BigInt(count * longestInstruction);
  const text = await objdump(place.module, from - bias, to - bias);
  const all = text.flatMap((line) => {
    const [, address, what] = lineText.exec(line) ?? [];
    return address === undefined || what === undefined
      ? []
      : [{ address: BigInt(`0x${address}`) + bias, text: what.replaceAll(/\s+/g, ' ') }];
  });
  const at = all.findIndex(({ address }) => address === pc);
  if (at < 0) throw cannot('no instruction begins there');
  const first = Math.max(0, at - Math.floor(count / 3));
  const lines = new LinesOf(code, place.module, base);
  const instructions: Instruction[] = [];
  for (const one of all.slice(first, first + count))
    instructions.push({
      address: `0x${one.address.toString(16)}`,
      text: one.text,
      line: await lines.changed(one.address),
      isNext: one.address === pc,
    });
  return { function: frame.function, file: frame.file, instructions };
}

/** Which lines instructions belong to, each asked for once. */
class LinesOf {
  readonly #code: NativeCode;
  readonly #module: string;
  readonly #base: bigint;
  #known: LineRanges | null = null;
  #line: number | null = null;

  constructor(code: NativeCode, module: string, base: bigint) {
    this.#code = code;
    this.#module = module;
    this.#base = base;
  }

  /** Null: that of the instruction before. */
  async changed(address: bigint): Promise<number | null> {
    const offset = Number(address - this.#base);
    const isKnown = this.#known?.ranges.some(({ start, end }) => offset >= start && offset < end);
    if (isKnown !== true)
      this.#known = await this.#code.lineRanges(this.#module, offset).catch(() => null);
    const line = this.#known?.line ?? null;
    const isSame = line === this.#line;
    this.#line = line;
    return isSame ? null : line;
  }
}

async function objdump(module: string, start: bigint, stop: bigint): Promise<readonly string[]> {
  const range = [`--start-address=${start}`, `--stop-address=${stop}`];
  const args = ['-d', '-C', '--no-show-raw-insn', '-M', 'intel', ...range, module];
  try {
    const { stdout } = await runProgram({ command: 'objdump', args }, { limitMs });
    return stdout.toString('utf8').split('\n');
  } catch {
    throw cannot('there is no objdump (install binutils)');
  }
}

function cannot(why: string): StrobeError {
  return new StrobeError(
    'NO_LINE',
    `The code there cannot be shown: ${why}.`,
    'Look at its lines: view "context".',
  );
}

function isFixed(path: string): boolean {
  const header = Buffer.alloc(18);
  const file = openSync(path, 'r');
  try {
    return (
      readSync(file, header, 0, header.length, 0) > 17 && header.readUInt16LE(16) === fixedType
    );
  } finally {
    closeSync(file);
  }
}
