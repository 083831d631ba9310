import type { Place } from '../../../../model/values/valueType.ts';
import { attribute } from '../constants.ts';
import type { DebugInfo } from '../debugInfo.ts';
import {
  movesArguments,
  placeAtEntry,
  placeInCopy,
  isPassedOtherwise,
  isSamePlace,
  otherwise,
  placeOfVisible,
  removed,
  withoutStack,
} from './entryPlaces.ts';
import type { FormalParameter, Link } from './formalParameters.ts';

interface Passed {
  /** At the first instruction, one for each parameter. */
  readonly places: readonly Place[];
  readonly isOptimised: boolean;
  /** Optimised, and its callers are all known to the compiler. */
  readonly isChangeable: boolean;
  /** Some are not where the convention has them: others may be passed, too, those on the stack among them. */
  readonly isChanged: boolean;
}

/** Where the parameters of a function are when it is entered, if the calling convention says `expected`. */
export function placesAtEntry(
  info: DebugInfo,
  chain: readonly Link[],
  formal: readonly FormalParameter[],
  {
    expected,
    address,
    isVisible,
    changedSignature,
  }: {
    readonly expected: readonly Place[];
    /** Link-time address of the first instruction. */
    readonly address: number;
    /** Not only its own unit calls it. */
    readonly isVisible: boolean;
    /** A copy that gcc made and changed. */
    readonly changedSignature: boolean;
  },
): Passed {
  const isOptimised =
    describesCalls(chain) || formal.some((parameter, i) => isGone(parameter, expected[i]));
  const found = formal.map((parameter, i) =>
    placeOf(info, parameter, expected[i], {
      address,
      isVisible,
      changedSignature,
      isChangeable: isOptimised,
    }),
  );
  const isOtherwise =
    !changedSignature &&
    formal.some((parameter, i) => isPassedOtherwise(info, parameter, expected[i], address));
  if (isOtherwise) {
    const places = formal.map(() => otherwise);
    return { places, isOptimised, isChangeable: true, isChanged: true };
  }
  const isChangeable = isOptimised && !isVisible;
  const isMovable = isChangeable && chain[0] !== undefined && movesArguments(chain[0].unit);
  const isChanged = isMovable && found.some((place, i) => !isSamePlace(place, expected[i]));
  const places = isChanged ? withoutStack(found) : found;
  return { places, isOptimised, isChangeable, isChanged };
}

/** A parameter the optimiser knew the value of is not passed any more, though its place stays reserved. */
function placeOf(
  info: DebugInfo,
  parameter: FormalParameter,
  place: Place | undefined,
  {
    address,
    isVisible,
    changedSignature,
    isChangeable,
  }: {
    readonly address: number;
    readonly isVisible: boolean;
    readonly changedSignature: boolean;
    readonly isChangeable: boolean;
  },
): Place {
  if (parameter.entry.has(attribute.constValue))
    return { kind: 'none', reason: 'the compiler made it a constant' };
  if (place === undefined) return { kind: 'none', reason: 'it has no place' };
  if (changedSignature)
    return parameter.isConcrete ? placeInCopy(info, parameter, place, address) : removed;
  if (!movesArguments(parameter.unit)) return place;
  if (!parameter.isConcrete) return removed;
  if (isVisible) return placeOfVisible(parameter, place);
  return placeAtEntry(info, parameter, place, { address, isChangeable });
}

/** LLVM describes the calls of functions when it optimises; not when it links them. */
function describesCalls(chain: readonly Link[]): boolean {
  return chain.some(
    ({ entry }) => entry.has(attribute.callAllCalls) || entry.has(attribute.gnuAllCallSites),
  );
}

/** Whether a parameter is nowhere: only an optimiser does that to one that takes space. */
function isGone({ entry }: FormalParameter, expected: Place | undefined): boolean {
  return expected !== undefined && expected.kind !== 'none' && !entry.has(attribute.location);
}
