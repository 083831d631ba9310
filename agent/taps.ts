import type { Tap } from '../src/protocol/agent.ts';
import { armEntry, record, tappedFunctions, tapShape } from '../src/protocol/record.ts';
import type { Engine } from './engine.ts';

/** Where a C library keeps its system calls; glibc before 2.34 has further copies in libpthread. */
const libraries = ['libc.so.6', 'libpthread.so.0'] as const;

/**
 * Copies what the program writes to its descriptors 1 and 2 into the output file from now on; throws
 * with the error number of the system when that cannot be made.
 */
export function tapOutput(engine: Engine, path: string): Tap[] {
  const open = new NativeFunction(engine.entry('engine_open_output'), 'int', ['pointer']);
  const failed = open(Memory.allocUtf8String(path));
  if (failed !== 0) throw new Error(`the output file cannot be made: error ${-failed}`);
  const names = Object.keys(tappedFunctions);
  const shapes: number[] = Object.values(tappedFunctions);
  const found = libraries.flatMap((library, place) => {
    const module = Process.findModuleByName(library);
    return names.flatMap((name, index) => {
      const exported = module?.findExportByName(name) ?? null;
      // One of another library, found through this one, is not its own.
      const address = exported !== null && isWithin(module, exported) ? exported : null;
      const number = record.maxFunctions - record.maxTaps + place * names.length + index;
      return address === null
        ? []
        : [{ name, address, number, shape: shapes[index] ?? tapShape.flat }];
    });
  });
  const table = new DataView(new ArrayBuffer(found.length * armEntry.bytes));
  for (const [row, { address, number, shape }] of found.entries()) {
    const at = row * armEntry.bytes;
    table.setBigUint64(at + armEntry.address, BigInt(address.toString()), true);
    table.setUint32(at + armEntry.fn, number, true);
    table.setUint8(at + armEntry.flags, shape);
  }
  const { codes } = engine.arm(table.buffer, found.length);
  const exit = Process.findModuleByName(libraries[0])?.findExportByName('_exit') ?? null;
  if (exit !== null) Interceptor.attach(exit, { onEnter: engine.entry('engine_note_exit') });
  return found.map(({ name }, row) => ({ function: name, code: codes[row] ?? -1 }));
}

/** Writes a clock record into the output file. */
export function noteClock(engine: Engine): void {
  new NativeFunction(engine.entry('engine_clock'), 'void', [])();
}

function isWithin(module: Module | null, address: NativePointer): boolean {
  if (module === null) return false;
  const offset = address.sub(module.base);
  return offset.compare(0) >= 0 && offset.compare(module.size) < 0;
}
