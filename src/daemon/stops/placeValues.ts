import type { RunningMemory } from '../../collector/debug/debugger.ts';
import type { TaskHead } from '../../model/endings/taskHead.ts';
import type { PlaceValue } from '../../model/debug/evaluated.ts';
import { StrobeError } from '../../model/errors.ts';
import { processorNamed } from '../../model/processors.ts';
import { hexadecimal } from '../../model/decoding/scalars.ts';
import { scalarBits } from '../../model/values/scalarBits.ts';
import type { ScalarType } from '../../model/values/scalarType.ts';
import { parseExpression } from '../../model/watches/expression.ts';
import { scalarValue } from './pollMemory.ts';
import { wordOf, type StopMemory } from './stopMemory.ts';

/** A frame of a stop; `stop` null: the program as it runs. */
export interface FrameAt {
  readonly stop: string | null;
  readonly frame: number;
  /** Of a task that is suspended; absent: of the thread. */
  readonly task?: { readonly head: TaskHead };
}

/** A value that was set: before, as it was set, and as it is after that, as a running program may set it itself. */
export interface PlaceSet {
  readonly was: PlaceValue;
  readonly set: PlaceValue;
  readonly is: PlaceValue;
}

const processor = processorNamed(process.arch);
const registerType: ScalarType = { kind: 'pointer', name: 'register' };
/** What the processor's moves of four bytes set to zero above. */
const wholeFrom = 4;

/** What an expression, or a register such as `$rax`, is there. Throws BAD_EXPRESSION for what has no value, STALE_STOP, NOT_STOPPED. */
export async function placeValue(
  memory: StopMemory,
  at: FrameAt,
  text: string,
  elements: number,
): Promise<PlaceValue> {
  const name = text.slice(1);
  if (text.startsWith('$') && processor.registers.includes(name))
    return await registerValue(memory, at, name);
  const { stop, frame, task } = at;
  const found = await memory.evaluate(stop, {
    frame,
    ...(task ? { task: task.head } : {}),
    expression: parseExpression(text),
    elements,
  });
  if (found.why === undefined) return found;
  throw new StrobeError('BAD_EXPRESSION', `${found.why}.`);
}

/** Sets what an expression names; throws as `placeValue`. */
export async function setPlace(
  memory: StopMemory,
  at: FrameAt,
  text: string,
  wanted: string | number | boolean,
): Promise<PlaceSet> {
  const was = await placeValue(memory, at, text, 1);
  const { place, scalar, bytes } = was;
  if (place?.kind === 'named' && at.stop !== null) {
    await memory.assign(at.stop, { frame: at.frame, to: text, value: wanted });
    const is = await placeValue(memory, at, text, 1);
    await memory.recordAssigned(at.stop, text, { was: was.value, is: is.value });
    return { was, set: is, is };
  }
  if (scalar === null || place === null || place.kind === 'named')
    throw new StrobeError('BAD_EXPRESSION', 'It is no number, character, enumerator or pointer.');
  const bits = scalarBits(scalar, wanted);
  if (typeof bits !== 'bigint') throw new StrobeError('BAD_EXPRESSION', `${bits.why}.`);
  if (place.kind === 'memory')
    await memory.write(at.stop, { name: text, address: place.address, bytes, bits, scalar });
  else {
    const { stop, name } = registerAt(at, processor.registers[place.number] ?? '');
    const whole = (await memory.register(stop, name)) ?? 0n;
    const mask = (1n << BigInt(bytes * 8)) - 1n;
    const value = bytes < wholeFrom ? (whole & ~mask) | bits : bits;
    const set = { name: text, scalar, old: whole & mask, now: bits };
    await memory.writeRegister(stop, { ...set, register: place.number, value });
  }
  const set = { ...was, value: scalarValue(scalar, bits) };
  return { was, set, is: await placeValue(memory, at, text, 1) };
}

/** The bits that a scalar in memory has now; null: they cannot be read any more. */
export function bitsAt(
  memory: Pick<RunningMemory, 'read'>,
  { address, bytes }: { readonly address: bigint; readonly bytes: number },
): bigint | null {
  const found = memory.read(address, bytes);
  return found.length < bytes ? null : wordOf(found);
}

async function registerValue(memory: StopMemory, at: FrameAt, asked: string): Promise<PlaceValue> {
  const { stop, name } = registerAt(at, asked);
  const value = await memory.register(stop, name);
  const number = processor.registers.indexOf(name);
  if (value === null || number < 0)
    throw new StrobeError('BAD_EXPRESSION', 'Its value is not known at this stop.');
  return {
    value: { kind: 'pointer', address: hexadecimal(value), isNull: value === 0n },
    type: null,
    place: { kind: 'register', number },
    bytes: 8,
    scalar: registerType,
  };
}

/** Throws BAD_EXPRESSION where there is none. */
function registerAt({ stop, frame }: FrameAt, name: string): { stop: string; name: string } {
  if (!processor.registers.includes(name))
    throw new StrobeError('BAD_EXPRESSION', 'It is in a register that cannot be set.');
  if (stop === null)
    throw new StrobeError('BAD_EXPRESSION', 'Registers are those of a stopped thread.');
  if (frame !== 0) throw new StrobeError('BAD_EXPRESSION', 'Registers are those of frame 0.');
  return { stop, name };
}
