import type { Depth } from '../../../../model/values/shape.ts';
import type { Parameter, Place, ValueType } from '../../../../model/values/valueType.ts';
import { placeGo } from '../../x64/goAbi.ts';
import { attribute } from '../constants.ts';
import { treeType } from '../types/shapes.ts';
import { togetherTree } from '../types/together.ts';
import type { TypeDescription, TypeReader, TypeReference } from '../types/types.ts';
import { holding, nameOf, referenceOf, type FormalParameter } from './formalParameters.ts';
import type { FunctionDetails } from './functionInterface.ts';

/** A parameter or result as the debug information lists it: results are parameters that the function sets. */
interface Listed {
  readonly name: string;
  readonly reference: TypeReference | null;
  readonly description: TypeDescription;
}

const word = 8;
/** What cgo makes of a function of C (cmd/cgo: cgo_unsafe_args); C.CString and its kin are functions of Go. */
const ofCgo =
  /\.(?:_C2?func_(?!(?:CString|CBytes|GoString|GoStringN|GoBytes|_CMalloc)$)\w+|_cgo_cmalloc)$/;
const unknownLayout = { kind: 'unknown', reason: 'a parameter without type' } as const;

/** What the debug information of Go says of a function's interface. */
export function readGoDetails(
  types: TypeReader,
  name: string,
  formal: readonly FormalParameter[],
  depth: Depth,
): FunctionDetails {
  const listed = once(
    formal.map((parameter) => ({
      ...listedOf(types, parameter),
      isResult: parameter.entry.value(attribute.variableParameter) === 1,
    })),
  );
  const parameters = listed.filter(({ isResult }) => !isResult);
  const results = listed.filter(({ isResult }) => isResult);
  const places = placeGo({
    parameters: parameters.map(({ description }) => description.layout),
    results: results.map(({ description }) => description.layout),
    hiddenAt: dictionaryAt(name),
    isAbi0: ofCgo.test(name),
  });
  return {
    linkageName: name,
    signature: `${name}(${parameters.map(({ description }) => spelling(description.value)).join(', ')})`,
    parameters: parameters.map((one, i) => parameterOf(types, one, places.parameters[i], depth)),
    ...returnedOf(types, results, places.results, depth),
    stackBytes: 0,
    variadic: false,
    opensStack: false,
  };
}

/** The compiler lists a result that a deferred function sets twice; names of Go differ, but for `_`. */
function once<One extends Listed>(listed: readonly One[]): One[] {
  const names = listed.map(({ name }) => name);
  return listed.filter(({ name }, i) => name === '_' || name === '' || names.indexOf(name) === i);
}

/** Generic code is passed what its types are: first, or behind the receiver. */
function dictionaryAt(name: string): number | null {
  if (!/\[go\.shape\.[^\]]*\](?:\)?\.\w+)?$/.test(name)) return null;
  return /\]\)?\.\w+$/.test(name) ? 1 : 0;
}

function listedOf(types: TypeReader, parameter: FormalParameter): Listed {
  const link = holding(types, parameter.unit, parameter.entry, attribute.type);
  return {
    name: nameOf(types, parameter),
    reference: referenceOf(types, parameter),
    description:
      link === null
        ? { value: { kind: 'unknown' }, layout: unknownLayout }
        : types.ofEntry(link.unit, link.entry),
  };
}

function parameterOf(
  types: TypeReader,
  { name, reference, description }: Listed,
  place: Place = { kind: 'none', reason: 'it has no place' },
  depth: Depth,
): Parameter {
  const whole = place.kind === 'none' || isScalar(description.value) ? null : wholePlace(place);
  const tree = whole && reference ? treeType(types, reference, depth) : null;
  return tree && whole
    ? { name, type: tree, place: whole }
    : { name, type: description.value, place };
}

function returnedOf(
  types: TypeReader,
  results: readonly Listed[],
  places: readonly Place[],
  depth: Depth,
): Pick<FunctionDetails, 'returns' | 'returnPlace'> {
  const [only] = results;
  if (!only) return { returns: { kind: 'void' } };
  if (results.length > 1) return together(types, results, places, depth);
  const { type, place } = parameterOf(types, only, places[0], depth);
  if (place.kind === 'none') return { returns: unread(spelling(type), place.reason) };
  if (isScalar(type) && place.kind !== 'integer' && place.kind !== 'float')
    return { returns: unread(spelling(type), 'it is returned on the stack') };
  return isScalar(type) ? { returns: type } : { returns: type, returnPlace: place };
}

/** Several results: each where its register is among those that hold all. */
function together(
  types: TypeReader,
  results: readonly Listed[],
  places: readonly Place[],
  depth: Depth,
): Pick<FunctionDetails, 'returns' | 'returnPlace'> {
  const name = `(${results.map(({ description }) => spelling(description.value)).join(', ')})`;
  const read = results.flatMap(({ name: own, reference }, i) => {
    const place = places[i];
    const registers = place?.kind === 'words' ? place.bytes / word : 1;
    if (!reference || (place?.kind !== 'integer' && place?.kind !== 'words')) return [];
    const bytes = registers * word;
    const shown = /^~r\d+$/.test(own) || own === '' ? `r${i}` : own;
    return [{ name: shown, type: reference, offset: place.register * word, bytes }];
  });
  const last = read.at(-1);
  if (!last) return { returns: unread(name, 'its results are not in integer registers') };
  const bytes = last.offset + last.bytes;
  const left = results.length - read.length;
  return {
    returns: togetherTree(types, read, { depth, bytes, left, name }),
    returnPlace: { kind: 'words', register: 0, bytes },
  };
}

function wholePlace(place: Place): Place {
  if (place.kind === 'integer') return { kind: 'words', register: place.register, bytes: word };
  return place.kind === 'stack' ? { kind: 'memory', offset: place.offset, bytes: word } : place;
}

function isScalar({ kind }: ValueType): boolean {
  return (
    kind === 'int' || kind === 'bool' || kind === 'char' || kind === 'enum' || kind === 'float'
  );
}

function unread(name: string, reason: string): ValueType {
  return { kind: 'opaque', name, bytes: null, reason };
}

function spelling(type: ValueType): string {
  return 'name' in type ? type.name : type.kind === 'void' ? 'void' : '?';
}
