import type { CallView, Value } from '../../../model/questions/query.ts';

/** What an argument of the call is; null: it has none of this name. */
export function argumentOf({ arguments: given }: CallView, name: string): Value | null {
  return given.find((one) => one.name === name)?.value ?? null;
}

/** A number among the arguments. */
export function numberOf(call: CallView, name: string): number | null {
  return numberIn(argumentOf(call, name));
}

/** A text, path or address among the arguments. */
export function textOf(call: CallView, name: string): string | null {
  const value = argumentOf(call, name);
  return value?.kind === 'string' || value?.kind === 'word' ? value.text : null;
}

/** The name of a constant, or the names of flags, among the arguments. */
export function constantOf(call: CallView, name: string): string | null {
  const value = argumentOf(call, name);
  return value?.kind === 'enum' ? value.name : null;
}

/** The errno of a call that failed, or `-1`; null: it did not fail. */
export function failureOf(call: CallView): string | null {
  if (call.end !== 'returned') return null;
  const returns = plainResult(call);
  if (returns.kind === 'enum') return returns.name?.replace(/^-1 /, '') ?? returns.text;
  const result = numberIn(returns);
  return result !== null && result < 0 ? String(result) : null;
}

/** The result, where it is a number. */
export function resultOf(call: CallView): number | null {
  return numberIn(plainResult(call));
}

/** The address beside the result. */
export function addressOf(call: CallView): string | null {
  const address = besideResult(call, 'address');
  return address?.kind === 'word' ? address.text : null;
}

/** The errno that a socket had when its `SO_ERROR` was asked for; null: something else was. */
export function socketErrorOf(call: CallView): number | null {
  const isError =
    constantOf(call, 'level') === 'SOL_SOCKET' && numberOf(call, 'option') === SO_ERROR;
  return isError ? numberIn(besideResult(call, 'value') ?? null) : null;
}

/** `asm-generic/socket.h`. */
const SO_ERROR = 4;

function besideResult({ returns }: CallView, wanted: string): Value | undefined {
  const fields = returns.kind === 'object' ? returns.object.fields : [];
  return fields.find(({ name }) => name === wanted)?.value;
}

function plainResult({ returns }: CallView): Value {
  if (returns.kind !== 'object') return returns;
  return returns.object.fields.find(({ name }) => name === 'result')?.value ?? returns;
}

/** How many bytes a captured text had in all. */
export function lengthOf(value: Value): number | null {
  if (value.kind !== 'string') return null;
  if (value.binary) return value.binary.total ?? value.binary.hex.length / 2;
  if (value.hex !== undefined) return value.total ?? value.hex.length / 2;
  return value.total ?? Buffer.byteLength(value.text);
}

/** When its result was there. */
export function endOfCall({ time, durationNs }: CallView): number {
  return time + (durationNs ?? 0);
}

function numberIn(value: Value | null): number | null {
  return value?.kind === 'int' ? Number(value.text) : null;
}
