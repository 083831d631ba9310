import { bits } from './printers/bitVectors.ts';
import { btrees } from './printers/btrees.ts';
import { optionals, variants } from './printers/choices.ts';
import { deques } from './printers/deques.ts';
import { anything, functions } from './printers/functions.ts';
import { goContexts, goSlices, goStrings, goTests, goTimes } from './printers/go.ts';
import { hashTables, unorderedMaps, unorderedSets, rustHashTables } from './printers/hashes.ts';
import { iterators } from './printers/iterators.ts';
import { fixedSpans, forwardLists, linkedLists, lists } from './printers/lists.ts';
import { locks, lockUnions } from './printers/locks.ts';
import { libcxx } from './printers/libcxx.ts';
import { counted, rustCounted, unique } from './printers/owners.ts';
import type { Printer } from './printers/printer.ts';
import { rings } from './printers/rings.ts';
import { traitObjects } from './printers/traitObjects.ts';
import { maps, sets } from './printers/trees.ts';
import { tuples } from './printers/tuples.ts';
import { bitsets, exceptions, rustTexts, sharedTexts, wideStrings } from './printers/texts.ts';
import { durations, named, rooms, wrappers } from './printers/wrappers.ts';

/** Types of the standard libraries that are shown as what they hold; the first that fits counts. */
export const printers: readonly Printer[] = [
  bits,
  rustTexts,
  unique,
  counted,
  rustCounted,
  optionals,
  variants,
  tuples,
  maps,
  sets,
  unorderedMaps,
  unorderedSets,
  rustHashTables,
  hashTables,
  btrees,
  lists,
  linkedLists,
  forwardLists,
  deques,
  iterators,
  rings,
  traitObjects,
  functions,
  anything,
  fixedSpans,
  locks,
  lockUnions,
  durations,
  wideStrings,
  sharedTexts,
  exceptions,
  bitsets,
  named,
  wrappers,
  rooms,
  goTimes,
  goContexts,
  goTests,
  goStrings,
  goSlices,
  ...libcxx,
];
