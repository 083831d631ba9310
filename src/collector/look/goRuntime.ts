import { goroutineLayoutIn, goVersionOf } from '../program/goBuild.ts';
import { readAt, withSections } from '../program/elfSections.ts';

/** Where a program of Go keeps its goroutines: addresses as its file has them, offsets in structures of its runtime. */
export interface GoRuntime {
  readonly goroutines: number;
  readonly reasons: number;
  /** Its table of those that wait for a lock. */
  readonly semaphores: number;
  readonly isMovable: boolean;
  readonly layout: GoLayout;
}

/** Offsets in bytes. */
export interface GoLayout {
  /** In runtime.g. */
  readonly number: number;
  readonly waiting: number;
  readonly framePointer: number;
  readonly inSystemCall: number;
  /** In runtime.sudog. */
  readonly element: number;
  readonly waitLink: number;
  readonly channel: number;
}

const symbol = { bytes: 24, name: 0, value: 8 } as const;
const mostSymbolBytes = 256 << 20;
/** ET_DYN */
const movable = 3;
const typeAt = 16;
/** runtime.g: from the number of who made it to what it waits for. */
const waitingBehindCreator = 40;

/** Null: it is no program of Go whose runtime is known, or it has no symbols. */
export async function goRuntimeOf(image: string): Promise<GoRuntime | null> {
  const version = await goVersionOf(image);
  const layout = version === null ? null : layoutIn(version);
  if (layout === null) return null;
  return await withSections(image, async (file, sections) => {
    const part = async (name: string): Promise<Buffer> => {
      const found = sections.find((section) => section.name === name);
      return found && found.size < mostSymbolBytes
        ? await readAt(file, found.offset, found.size)
        : Buffer.alloc(0);
    };
    const [names, symbols] = [await part('.strtab'), await part('.symtab')];
    const addresses = addressesOf(names, symbols);
    const [goroutines, reasons, semaphores] = addresses;
    if (!goroutines || !reasons || !semaphores) return null;
    const isMovable = (await readAt(file, typeAt, 2)).readUInt16LE(0) === movable;
    return { goroutines, reasons, semaphores, isMovable, layout };
  });
}

const wanted = ['runtime.allgs', 'runtime.waitReasonStrings', 'runtime.semtable'];

function addressesOf(names: Buffer, symbols: Buffer): (number | undefined)[] {
  const places = new Map(
    wanted.map((name) => [names.indexOf(`\0${name}\0`, 0, 'latin1') + 1, name]),
  );
  const found = new Map<string, number>();
  for (let at = 0; at + symbol.bytes <= symbols.length; at += symbol.bytes) {
    const name = places.get(symbols.readUInt32LE(at + symbol.name));
    if (name !== undefined) found.set(name, Number(symbols.readBigUInt64LE(at + symbol.value)));
  }
  return wanted.map((name) => found.get(name));
}

function layoutIn(version: string): GoLayout | null {
  const goroutine = goroutineLayoutIn(version);
  const minor = Number(/^go1\.(\d+)/.exec(version)?.[1] ?? 0);
  if (goroutine === null) return null;
  // Until 1.24 runtime.gobuf has a word for a result; from 1.26 on addresses in sudog stand twice.
  const [framePointer, inSystemCall] = minor < 25 ? [104, 112] : [96, 104];
  const [element, waitLink, channel] = minor < 26 ? [24, 64, 80] : [32, 72, 96];
  return {
    number: goroutine.number,
    waiting: goroutine.creator + waitingBehindCreator,
    framePointer,
    inSystemCall,
    element,
    waitLink,
    channel,
  };
}
