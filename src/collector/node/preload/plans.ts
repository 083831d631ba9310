import { isMainThread } from 'node:worker_threads';
import { definitionKind } from '../../../protocol/definitions.ts';
import {
  nodeAction,
  nodeFlag,
  type NodeWishes,
  type WantedFunction,
} from '../../../protocol/nodeTracer.ts';
import { engine, theAddon } from './addon.ts';
import { descriptorOf, parseJson } from './intrinsics.ts';
import { beginFields, define, fileNumber, putText, putWord } from './names.ts';
import type { Plan, RewrittenModule } from './moduleHooks.ts';

/** Of this thread, by file and offset: they keep their numbers, whatever is wanted. */
const numbers = new Map<string, number>();
/** Where what is wanted of a file is said. */
let places: NodeWishes['files'] = {};
/** Where breakpoints are, by file. */
let sites: WantedSites = {};
/** By file, then by offset: what was read of it. */
const wanted = new Map<string, ReadonlyMap<number, WantedFunction>>();
let generation = -1;

/** Looks what is wanted of a module now. */
export function look(module: RewrittenModule): void {
  do {
    readNew(module);
    plan(module);
  } while (module.generation[0] !== generation);
}

function readNew({ generation: [now = 0] }: Pick<RewrittenModule, 'generation'>): void {
  if (now === generation) return;
  readWishes();
  generation = now;
}

/** Counts what is wanted, for a thread in which no module was rewritten yet. */
let clock: Uint32Array | null = null;

function readNow(): void {
  clock ??= new Uint32Array(theAddon().flags(0), 0, 1);
  readNew({ generation: clock });
}

/** Whether something of a file is wanted now. */
export function isWanted(file: string): boolean {
  readNow();
  return [places, sites].some((files) => descriptorOf(files, file) !== undefined);
}

function readWishes(): void {
  const text = theAddon().wishes() ?? '';
  const all = text === '' ? { files: {} } : (parseJson(text) as NodeWishes);
  places = all.files;
  wanted.clear();
  sites = all.sites ?? {};
  tellSites(sites, all.raises ?? []);
  setRecording(all.recording);
  tellAwaited();
}

/** By file: who is to know that something of it is wanted. */
const awaited = new Map<string, () => void>();

/** Calls the listener once, now or when something of a file is first wanted. */
export function whenWanted(file: string, listener: () => void): void {
  awaited.set(file, listener);
  readNow();
  tellAwaited();
}

function tellAwaited(): void {
  for (const [file, listener] of awaited) {
    if (descriptorOf(places, file) === undefined) continue;
    awaited.delete(file);
    listener();
  }
}

type WantedSites = NonNullable<NodeWishes['sites']>;
type WantedRaises = NonNullable<NodeWishes['raises']>;
type SitesListener = (sites: WantedSites, raises: WantedRaises) => void;
let tellSites: SitesListener = () => undefined;

/** Receives the wanted breakpoints, now and at each change. */
export function listenToSites(listener: SitesListener): void {
  tellSites = listener;
  readNow();
}

/** Files of which something is wanted now. */
export function wantedFiles(): ReadonlySet<string> {
  readWishes();
  return new Set(Object.keys(places));
}

/** What triggers said before holds while they stay. */
let triggers = '';

/** The main thread does it for all. */
function setRecording(recording: NodeWishes['recording']): void {
  const now = recording?.triggers ?? '';
  if (now === triggers || !isMainThread) return;
  triggers = now;
  engine(nodeAction.switches, (recording?.isOn ?? true) ? 1 : 0, 0, 0, 0);
}

/** Of one file: what is wanted of a whole project is far more than a process loads. */
function wantedIn(file: string): ReadonlyMap<number, WantedFunction> {
  const known = wanted.get(file);
  if (known) return known;
  const place = places[file];
  const text = place && theAddon().wishesAt(...place);
  const functions = text === undefined ? [] : (parseJson(text) as WantedFunction[]);
  const read = new Map(functions.map((fn) => [fn.offset, fn]));
  wanted.set(file, read);
  return read;
}

function plan(module: RewrittenModule): void {
  for (const [index, { file = module.path, offset }] of module.functions.entries()) {
    const fn = wantedIn(file).get(offset);
    const made = fn ? planOf(fn, file, module) : null;
    module.plans[index] = made;
    module.flags[index] = flagOf(made);
  }
}

function flagOf(made: Plan | null): number {
  if (!made) return nodeFlag.off;
  return made.isAsked ? nodeFlag.asked : nodeFlag.on;
}

/** More than how many of its calls are recorded, which the engine decides. */
function isAskedOf({ policy = {}, watches, checks }: WantedFunction): boolean {
  const { every: _every, ...asked } = policy;
  return (watches ?? checks) !== undefined || Object.keys(asked).length > 0;
}

function planOf(fn: WantedFunction, file: string, module: RewrittenModule): Plan {
  const { policy = {}, watches = [], checks = [], parameters, levels } = fn;
  const made: Plan = {
    fn,
    number: 0,
    count: parameters.length,
    parameters,
    levels,
    policy,
    watches,
    checks,
    file,
    module,
    left: policy.first ?? 0,
    isAsked: isAskedOf(fn),
    isSampled: false,
  };
  const known = numbers.get(keyOf(made));
  if (known !== undefined) setNumber(made, known);
  return made;
}

function keyOf({ fn: { offset }, file }: Plan): string {
  return `${offset} ${file}`;
}

function setNumber(of: Plan, number: number): void {
  of.number = number;
  const { every } = of.policy;
  if (every !== undefined) engine(nodeAction.shares, every, number, 0, 0);
}

/** Gives a function its number: most of what is wanted is never called. False: it cannot be defined, nor be recorded. */
export function giveNumber(of: Plan): boolean {
  const number = defineFunction(of.fn, of.file);
  if (number === 0) return false;
  numbers.set(keyOf(of), number);
  setNumber(of, number);
  return true;
}

function defineFunction(fn: WantedFunction, file: string): number {
  const inFile = fileNumber(file);
  if (inFile === 0) return 0;
  beginFields();
  putText(fn.name);
  for (const word of [inFile, fn.column, fn.offset, fn.flags, fn.parameters.length]) putWord(word);
  for (const name of fn.parameters) putText(name);
  return define(definitionKind.function, fn.line);
}
