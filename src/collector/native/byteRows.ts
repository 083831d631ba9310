import type { Parameter, Place } from '../../model/values/valueType.ts';

/** A pointer to bytes that the function only reads. */
const bytes = /^const (?:void|unsigned char|uint8_t|std::uint8_t|std::byte|u8|byte|Bytef)\*$/;
const length =
  /^_*(?:(?:\w+_)?(?:len|length|size|sz|count|bytes|nbytes|num)|n|\w+(?:Len|Length|Size|Count|Bytes))_*$/;

/** Bytes whose number is the next parameter: `data="abc", len=3` instead of an address. */
export function withByteRows(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.map((parameter, at) => {
    const { type, place } = parameter;
    const first = registerOf(place);
    const next = parameters[at + 1];
    if (!('name' in type) || !bytes.test(type.name) || first === null) return parameter;
    if (next?.place.kind !== 'integer' || next.type.kind !== 'int' || next.type.bytes !== 8)
      return parameter;
    if (!length.test(next.name)) return parameter;
    const held = { pointer: 0, length: 8, byEnd: false, unit: 1, inWords: true } as const;
    return {
      ...parameter,
      type: { kind: 'cstring', name: type.name, held },
      place: { kind: 'pair', first, second: next.place.register },
    };
  });
}

/** That an address is passed in. */
function registerOf(place: Place): number | null {
  if (place.kind === 'integer') return place.register;
  if (place.kind !== 'parts' || place.registers.length !== 1 || place.bytes !== 8) return null;
  return place.registers[0] ?? null;
}
