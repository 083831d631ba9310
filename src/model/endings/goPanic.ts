import type { Value } from '../questions/query.ts';

/** What a panic of Go was passed. */
export interface GoPanic {
  /** `*errors.errorString`; null: it is not known. */
  readonly type: string | null;
  readonly message: string | null;
  /** The message is the value itself, not what its Error method says. */
  readonly isMessageFound: boolean;
}

type Field = (name: string) => Value | undefined;

/** Texts of the errors of Go's own library, which their methods make of their fields; null: of another layout. */
const texts: ReadonlyMap<string, (field: Field) => string | null> = new Map([
  ['*errors.errorString', (field) => textOf(field('s'))],
  ['*fmt.wrapError', (field) => textOf(field('msg'))],
  ['*fmt.wrapErrors', (field) => textOf(field('msg'))],
  ['runtime.errorAddressString', (field) => ofRuntime(textOf(field('msg')))],
  ['runtime.boundsError', boundsText],
]);
const nilPanic = 'panic called with nil argument';

/** In the order of internal/abi.BoundsErrorCode; then the same where the first number is below zero. */
const bounds: readonly (readonly [string, string])[] = [
  ['index out of range [%x] with length %y', 'index out of range [%x]'],
  ['slice bounds out of range [:%x] with length %y', 'slice bounds out of range [:%x]'],
  ['slice bounds out of range [:%x] with capacity %y', 'slice bounds out of range [:%x]'],
  ['slice bounds out of range [%x:%y]', 'slice bounds out of range [%x:]'],
  ['slice bounds out of range [::%x] with length %y', 'slice bounds out of range [::%x]'],
  ['slice bounds out of range [::%x] with capacity %y', 'slice bounds out of range [::%x]'],
  ['slice bounds out of range [:%x:%y]', 'slice bounds out of range [:%x:]'],
  ['slice bounds out of range [%x:%y:]', 'slice bounds out of range [%x::]'],
  ['cannot convert slice with length %x to array or pointer to array with length %y', ''],
];

/** Of the value that a panic was passed; `plain` writes any other. */
export function goPanicOf(value: Value, plain: (value: Value) => string): GoPanic {
  const nothing = { type: null, message: null, isMessageFound: false };
  if (value.kind === 'null')
    return { type: '*runtime.PanicNilError', message: nilPanic, isMessageFound: false };
  if (value.kind !== 'variant') return nothing;
  const type = value.name;
  const held = value.value && behind(value.value);
  if (held === null || held.kind === 'notCaptured' || held.kind === 'pointer')
    return { ...nothing, type };
  if (held.kind === 'string') {
    const message = type === 'runtime.errorString' ? ofRuntime(held.text) : held.text;
    return { type, message, isMessageFound: false };
  }
  const fields = held.kind === 'object' ? held.object.fields : [];
  const field: Field = (name) => fields.find((one) => one.name === name)?.value;
  const message = texts.get(type)?.(field) ?? null;
  return { type, message: message ?? plain(held), isMessageFound: message === null };
}

function behind(value: Value): Value {
  return value.kind === 'pointer' && value.target ? behind(value.target) : value;
}

function textOf(value: Value | undefined): string | null {
  return value?.kind === 'string' ? value.text : null;
}

function ofRuntime(text: string | null): string | null {
  return text === null ? null : `runtime error: ${text}`;
}

function boundsText(field: Field): string | null {
  const [x, y, code] = ['x', 'y', 'code'].map((name) => numberOf(field(name)));
  if (x === undefined || y === undefined || code === undefined) return null;
  const [usual, negative] = bounds[Number(code)] ?? [];
  const isNegative = x.startsWith('-') && field('signed')?.kind === 'bool';
  const form = isNegative ? negative : usual;
  return form ? ofRuntime(form.replace('%x', x).replace('%y', y)) : null;
}

function numberOf(value: Value | undefined): string | undefined {
  return value?.kind === 'int' || value?.kind === 'enum' ? value.text : undefined;
}
