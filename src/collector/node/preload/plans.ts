import { isMainThread } from 'node:worker_threads';
import { definitionKind } from '../../../protocol/definitions.ts';
import {
  nodeAction,
  nodeFlag,
  type NodeWishes,
  type WantedFunction,
} from '../../../protocol/nodeTracer.ts';
import { engine, theAddon } from './addon.ts';
import { parseJson } from './intrinsics.ts';
import { beginFields, define, fileNumber, putText, putWord } from './names.ts';
import type { Plan, RewrittenModule } from './moduleHooks.ts';

/** Of this thread, by file and offset: they keep their numbers, whatever is wanted. */
const numbers = new Map<string, number>();
let wishes: NodeWishes['files'] = {};
let generation = -1;

/** Looks what is wanted of a module now. */
export function look(module: RewrittenModule): void {
  do {
    const now = module.generation[0] ?? 0;
    if (now !== generation) {
      readWishes();
      generation = now;
    }
    plan(module);
  } while (module.generation[0] !== generation);
}

function readWishes(): void {
  const text = theAddon().wishes();
  const all = text === '' ? { files: {} } : (parseJson(text) as NodeWishes);
  wishes = all.files;
  tellSites(all.sites ?? {});
  setRecording(all.recording);
}

type WantedSites = NonNullable<NodeWishes['sites']>;
let tellSites: (sites: WantedSites) => void = () => undefined;

/** Receives the wanted breakpoints, now and at each change. */
export function listenToSites(listener: (sites: WantedSites) => void): void {
  tellSites = listener;
  readWishes();
}

/** Files of which something is wanted now. */
export function wantedFiles(): ReadonlySet<string> {
  readWishes();
  return new Set(Object.keys(wishes));
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

function plan(module: RewrittenModule): void {
  const byFile = new Map<string, ReadonlyMap<number, WantedFunction>>();
  for (const [index, { file = module.path, offset }] of module.functions.entries()) {
    let wanted = byFile.get(file);
    if (!wanted) {
      wanted = new Map((wishes[file] ?? []).map((fn) => [fn.offset, fn]));
      byFile.set(file, wanted);
    }
    const fn = wanted.get(offset);
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

function planOf(fn: WantedFunction, file: string, module: RewrittenModule): Plan | null {
  const key = `${fn.offset} ${file}`;
  let number = numbers.get(key);
  if (number === undefined) {
    number = defineFunction(fn, file);
    if (number > 0) numbers.set(key, number);
  }
  // What cannot be defined is not recorded.
  if (number === 0) return null;
  const { policy = {}, watches = [], checks = [], parameters, levels } = fn;
  if (policy.every !== undefined) engine(nodeAction.shares, policy.every, number, 0, 0);
  const left = policy.first ?? 0;
  const count = parameters.length;
  return {
    number,
    count,
    parameters,
    levels,
    policy,
    watches,
    checks,
    file,
    module,
    left,
    isAsked: isAskedOf(fn),
    isSampled: false,
  };
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
