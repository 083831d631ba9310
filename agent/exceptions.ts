import type { ExceptionOptions } from '../src/protocol/agent.ts';
import { exceptionFile, exceptionKind } from '../src/protocol/exceptionFile.ts';
import { armEntry, record } from '../src/protocol/record.ts';
import type { Engine } from './engine.ts';

/** Names that glibc's own file has: what its longjmp reads is known of it alone, and of this processor. */
const glibc = /^libc(?:\.so\.6|-2\.\d+\.so)$/;
const jumping = Process.arch === 'x64' ? (['longjmp', '__longjmp_chk'] as const) : [];

/**
 * Which library raises, which begins a handler, what glibc calls before main and first in each other thread, and by
 * what a thread jumps; siglongjmp and _longjmp are longjmp.
 */
const hooked = [
  { library: /^(?:libgcc_s|libunwind)\.so/, name: '_Unwind_RaiseException', kind: 'raised' },
  {
    library: /^(?:libstdc\+\+|libc\+\+abi|libc\+\+)\.so/,
    name: '__cxa_begin_catch',
    kind: 'caught',
  },
  { library: /^libc\.so/, name: '_setjmp', kind: 'began' },
  { library: /^libc\.so/, name: '__ctype_init', kind: 'began' },
  ...jumping.map((name) => ({ library: glibc, name, kind: 'jumped' }) as const),
] as const;

const firstNumber = record.maxFunctions - record.maxTaps - exceptionFile.maxHooks;
/** What is hooked, or was refused, by address. */
const known = new Map<string, boolean>();
let isOpen = false;

/** Hooks what is not hooked yet; answers how many are. Throws with the error number of the system. */
export function hookExceptions(engine: Engine, { path, found }: ExceptionOptions): number {
  if (!isOpen) {
    const open = new NativeFunction(engine.entry('engine_open_exceptions'), 'int', ['pointer']);
    const failed = open(Memory.allocUtf8String(path));
    if (failed !== 0) throw new Error(`the exception file cannot be made: error ${-failed}`);
    isOpen = true;
  }
  const fresh = [...exported(), ...found]
    .filter(({ address }) => !known.has(address))
    .slice(0, Math.max(0, exceptionFile.maxHooks - known.size));
  if (fresh.length > 0) {
    const table = new DataView(new ArrayBuffer(fresh.length * armEntry.bytes));
    for (const [row, { address, kind }] of fresh.entries()) {
      const at = row * armEntry.bytes;
      table.setBigUint64(at + armEntry.address, BigInt(address), true);
      table.setUint32(at + armEntry.fn, firstNumber + known.size + row, true);
      table.setUint8(at + armEntry.flags, exceptionKind[kind]);
    }
    const { codes } = engine.arm(table.buffer, fresh.length);
    for (const [row, { address }] of fresh.entries()) known.set(address, codes[row] === 0);
  }
  return [...known.values()].filter((isHooked) => isHooked).length;
}

function exported(): { address: string; kind: (typeof hooked)[number]['kind'] }[] {
  return Process.enumerateModules().flatMap((module) =>
    hooked.flatMap(({ library, name, kind }) => {
      if (!library.test(module.name)) return [];
      const address = module.findExportByName(name);
      return address === null || !isWithin(module, address)
        ? []
        : [{ address: address.toString(), kind }];
    }),
  );
}

/** An export found through a library may be another's. */
function isWithin(module: Module, address: NativePointer): boolean {
  const offset = address.sub(module.base);
  return offset.compare(0) >= 0 && offset.compare(module.size) < 0;
}
