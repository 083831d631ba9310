import {
  compileWatch,
  watchAddress,
  type WatchedNames,
  type WatchProgram,
} from '../../collector/native/compileWatch.ts';
import type { ProcessPlaces } from '../../collector/look/processPlaces.ts';
import { writePlace } from '../../collector/native/writePlace.ts';
import type { WantedWrites, WritesOutcome } from './writeWatches.ts';
import type { FunctionWatches, NumberedWatch } from '../../collector/native/watchTable.ts';
import { StrobeError } from '../../model/errors.ts';
import { parseExpression, type Expression } from '../../model/watches/expression.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import { withPackages } from './packageNames.ts';
import type { FoundVariable, VariableMatch } from '../../model/functions/foundVariable.ts';
import { parsePattern } from '../../model/names/pattern.ts';
import { watchedDepth } from '../../model/values/shape.ts';
import { canTellSecret, secretIn } from '../../model/values/redaction.ts';
import {
  mostWatches,
  watchLabel,
  type SampledAt,
  type WatchChange,
  type WatchDefinition,
  type WatchReport,
  type WatchRequest,
} from '../../model/watches/watch.ts';

/** What resolving a session's watches needs. */
export interface WatchSurroundings {
  /** Functions that patterns want, and of those the hooked ones by `id`. */
  readonly wanted: readonly FoundFunction[];
  readonly hooked: ReadonlySet<string>;
  readonly secretNames: readonly string[];
  /** Of the main process; null: it is gone. */
  readonly pid: number | null;
  /** The wanted functions a pattern means, or all of them, with so many pointers followed in their values. */
  functions(pattern: string | null, depth: number): Promise<readonly FoundFunction[]>;
  variables(name: string, depth: number): Promise<VariableMatch>;
  /** The process that has these modules, the main one if it does; null: that is gone. */
  placesIn(modules: readonly string[]): ProcessPlaces | null;
  /** Has these places and no others watched for writes; by number what became of each. */
  spot(wanted: readonly WantedWrites[]): Promise<ReadonlyMap<number, WritesOutcome>>;
  /** Awaited before a sample can be taken. */
  announce(watches: readonly WatchDefinition[]): Promise<void>;
}

interface Active {
  readonly request: WatchRequest;
  report: WatchReport;
  /** By `id`. */
  uses: ReadonlyMap<string, NumberedWatch>;
}

/** Why a watch cannot be; a whole sentence. */
class Refused extends Error {}
/** Why it waits; a whole sentence. */
class Waits extends Error {}

const deepest = 6;
const mostNotes = 2;

/** Throws BAD_EXPRESSION, BAD_PATTERN or BAD_PARAMETER. */
export function checkWatch(request: WatchRequest): void {
  if (request.expr !== undefined) parseExpression(request.expr);
  if (request.on !== undefined) parsePattern(request.on);
  const { address, type, on, at } = request;
  if (at === 'write' && on !== undefined)
    throw new StrobeError(
      'BAD_PARAMETER',
      `Writes are seen wherever they happen; "on" says in which calls a watch is sampled: ${JSON.stringify(request)}.`,
      'Leave "on" out, and ask debug_query {"view": "changes"}.',
    );
  if (address === undefined) return;
  if (type === undefined || !/^0x[0-9a-f]{1,16}$/i.test(address))
    throw new StrobeError(
      'BAD_PARAMETER',
      `A watch of an address has a hexadecimal address and a type: ${JSON.stringify(request)}.`,
      'For example {"address": "0x7ffe12345678", "type": "int"}.',
    );
}

/** The watches of a session: what was asked for, and how each is sampled in which functions. */
export class WatchState {
  #refused: WatchReport[] = [];
  #hasWrites = false;
  readonly #watches = new Map<string, Active>();
  readonly #numbers = new Map<string, number>();
  #next = 0;

  get requests(): readonly WatchRequest[] {
    return [...this.#watches.values()].map(({ request }) => request);
  }

  get isEmpty(): boolean {
    return this.#watches.size === 0;
  }

  /** Numbers an earlier daemon gave are not given again. */
  continueFrom(next: number): void {
    this.#next = Math.max(this.#next, next);
  }

  /** Adds and removes; answers labels that were not there. Throws what `checkWatch` does, and of too many BAD_PARAMETER. */
  change({ add, remove }: WatchChange): string[] {
    for (const request of add) checkWatch(request);
    const left = new Set([...this.#watches.keys()].filter((label) => !remove.includes(label)));
    for (const request of add) left.add(watchLabel(request));
    if (left.size > mostWatches)
      throw new StrobeError(
        'BAD_PARAMETER',
        `A session has at most ${mostWatches} watches; it would have ${left.size}.`,
        `Remove some: debug_trace {"watches": {"remove": [${JSON.stringify([...left][0])}]}}.`,
      );
    const unknown = remove.filter((label) => !this.#watches.delete(label));
    if (add.length > 0 || remove.length > 0) this.#refused = [];
    for (const request of add) {
      const report = reportOf(request, 'pending', { type: null, functions: 0, notes: [] });
      this.#watches.set(watchLabel(request), { request, report, uses: new Map() });
    }
    return unknown;
  }

  /** Finds out anew what each watch means in which functions. One that cannot be is told, and gone. */
  async resolve(around: WatchSurroundings): Promise<readonly WatchReport[]> {
    const resolved: Active[] = [];
    const wanted = new Map<WantedWrites, Active>();
    for (const active of this.#watches.values()) {
      resolved.push(active);
      try {
        if (active.request.at === 'write') wanted.set(await this.#placeOf(active, around), active);
        else await this.#resolveOne(active, around);
      } catch (error) {
        this.#cannotBe(active, error);
      }
    }
    await this.#spot(wanted, around);
    return resolved.map(({ report }) => report);
  }

  /** Throws what says neither that it is refused nor that it waits. */
  #cannotBe(active: Active, error: unknown): void {
    if (!(error instanceof Refused) && !(error instanceof Waits)) throw error;
    const state = error instanceof Refused ? 'refused' : 'pending';
    const notes = [error.message];
    active.report = reportOf(active.request, state, { type: null, functions: 0, notes });
    active.uses = new Map();
    if (state === 'pending') return;
    this.#watches.delete(watchLabel(active.request));
    this.#refused.push(active.report);
  }

  async #spot(wanted: ReadonlyMap<WantedWrites, Active>, around: WatchSurroundings): Promise<void> {
    if (wanted.size === 0 && !this.#hasWrites) return;
    this.#hasWrites = wanted.size > 0;
    const outcomes = await around.spot([...wanted.keys()]);
    let isFirst = true;
    for (const [{ number, pid }, active] of wanted) {
      const outcome = outcomes.get(number);
      if (outcome?.isWatched !== true) {
        this.#cannotBe(active, new Refused(outcome?.why ?? 'The process is gone.'));
        continue;
      }
      const general = `By any thread of process ${pid}; not seen: read(2) into it, and other processes, also forked ones.`;
      const notes = [...outcome.notes, ...active.report.notes, ...(isFirst ? [general] : [])];
      isFirst = false;
      active.report = { ...active.report, state: 'active', notes };
    }
  }

  /** Where it lies now. Throws Refused or Waits. */
  async #placeOf(active: Active, around: WatchSurroundings): Promise<WantedWrites> {
    const { request } = active;
    const label = watchLabel(request);
    const program = await writeProgram(request, around);
    const modules = program.fixups.map(({ variable }) => variable.module);
    const places = around.placesIn([...new Set(modules)]);
    if (!places) throw new Waits('The process is gone.');
    const place = writePlace(program, places);
    if ('why' in place)
      throw new (place.waits ? Waits : Refused)(
        `${label} cannot be watched for writes: ${place.why}.`,
      );
    const { address, bytes, isBehindPointer } = place;
    const isText = program.type.kind === 'cstring';
    const type = isText ? ({ kind: 'pointer', name: program.type.name } as const) : program.type;
    const definitions: WatchDefinition[] = [];
    const number = this.#number(`${label}\0write ${JSON.stringify(type)}`, (fresh) => {
      definitions.push({
        ...definitionOf(fresh, request, { type, isOfCall: false }),
        isWritten: true,
      });
    });
    if (definitions.length > 0) await around.announce(definitions);
    const where = `Where it is now: 0x${address.toString(16)}.`;
    const notes = isBehindPointer ? [where] : [];
    active.report = reportOf(request, 'pending', { type: type.name, functions: 0, notes });
    return { pid: places.pid, number, label, address, bytes };
  }

  /** By `id`. */
  plan(): FunctionWatches {
    const plan = new Map<string, NumberedWatch[]>();
    for (const { uses } of this.#watches.values()) {
      for (const [key, use] of uses) {
        const known = plan.get(key);
        if (known) known.push(use);
        else plan.set(key, [use]);
      }
    }
    return plan;
  }

  /** Also of those that were refused since the last change. */
  reports(): readonly WatchReport[] {
    return [...[...this.#watches.values()].map(({ report }) => report), ...this.#refused];
  }

  async #resolveOne(active: Active, around: WatchSurroundings): Promise<void> {
    const { request } = active;
    const programs = await programsOf(request, around);
    const uses = new Map<string, NumberedWatch>();
    const made = new Map<string, NumberedWatch>();
    const definitions: WatchDefinition[] = [];
    for (const [fn, program] of programs.byFunction) {
      const key = JSON.stringify([program.type, program.isOfCall]);
      const number = this.#number(`${watchLabel(request)}\0${key}`, (fresh) => {
        definitions.push(definitionOf(fresh, request, program));
      });
      const whole = `${number} ${program.at} ${program.words.join()} ${program.where}`;
      const use = made.get(whole) ?? { number, program };
      made.set(whole, use);
      uses.set(fn.id, use);
    }
    if (definitions.length > 0) await around.announce(definitions);
    active.uses = uses;
    const functions = [...uses.keys()].filter((key) => around.hooked.has(key)).length;
    const [first] = made.values();
    const notes = [...programs.notes];
    if (functions === 0)
      notes.push(
        'It is sampled at traced calls, and none of its functions is hooked yet: add a pattern.',
      );
    active.report = reportOf(request, functions > 0 ? 'active' : 'pending', {
      type: first ? first.program.type.name : null,
      functions,
      notes,
    });
  }

  #number(key: string, define: (fresh: number) => void): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const fresh = this.#next++;
    this.#numbers.set(key, fresh);
    define(fresh);
    return fresh;
  }
}

interface Programs {
  readonly byFunction: readonly (readonly [FoundFunction, WatchProgram])[];
  readonly notes: readonly string[];
}

/** Of a place in memory. Throws Refused or Waits. */
async function writeProgram(
  request: WatchRequest,
  around: WatchSurroundings,
): Promise<WatchProgram> {
  const { expr, address = '0x0', type = '' } = request;
  if (expr === undefined) {
    const program = watchAddress(BigInt(address), type, 'both', around.pid);
    if (program) return program;
    throw new Refused(unknownType(type));
  }
  const written = parseExpression(expr);
  refuseSecret(written, around.secretNames);
  const expression = await withPackages(written, [], around);
  const depth = depthOf(expression);
  const variables = new Map<string, FoundVariable>();
  for (const name of namesOf(expression)) {
    if (name === 'args' || name === 'this' || name === 'return')
      throw new Refused(
        `${name} belongs to one call: give the address of what is meant, with its type.`,
      );
    variables.set(name, await variableOf(name, depth, [], around));
  }
  const program = compileWatch(
    expression,
    null,
    { variables, secretNames: around.secretNames },
    'both',
  );
  if ('why' in program) throw new Refused(sentence(expr, program.why));
  return program;
}

function unknownType(type: string): string {
  return `The type "${type}" is not read at an address: give a number type (int, uint64_t, double), void* or char*.`;
}

/** Throws Refused or Waits. */
async function programsOf(request: WatchRequest, around: WatchSurroundings): Promise<Programs> {
  const { on = null } = request;
  const at = sampledAt(request);
  const functions = await around.functions(on, 0);
  if (request.expr === undefined) {
    const program = watchAddress(
      BigInt(request.address ?? '0x0'),
      request.type ?? '',
      at,
      around.pid,
    );
    if (!program) throw new Refused(unknownType(request.type ?? ''));
    return { byFunction: functions.map((fn) => [fn, program] as const), notes: [] };
  }
  const written = parseExpression(request.expr);
  refuseSecret(written, around.secretNames);
  const expression = await withPackages(written, functions, around);
  const names = namesOf(expression);
  const depth = depthOf(expression);
  const variables = new Map<string, FoundVariable>();
  const parameters: string[] = [];
  for (const name of names) {
    if (name === 'args') continue;
    const isParameter = functions.some((fn) => fn.parameters.some((one) => one.name === name));
    if (isParameter) parameters.push(name);
    else variables.set(name, await variableOf(name, depth, functions, around));
  }
  const known = { variables, secretNames: around.secretNames };
  if (parameters.length === 0 && !names.has('args')) {
    const program = compileWatch(expression, null, known, at);
    if ('why' in program) throw new Refused(sentence(request.expr, program.why));
    return { byFunction: functions.map((fn) => [fn, program] as const), notes: lessOf(program) };
  }
  const deep = hopsOf(expression) > 0 ? await around.functions(on, depth) : functions;
  const meant = deep.filter((fn) =>
    parameters.every((name) => fn.parameters.some((one) => one.name === name)),
  );
  return perFunction(request, expression, meant, known);
}

function perFunction(
  request: WatchRequest,
  expression: Expression,
  functions: readonly FoundFunction[],
  known: WatchedNames,
): Programs {
  const { expr = '' } = request;
  const at = sampledAt(request);
  const byFunction: [FoundFunction, WatchProgram][] = [];
  const notes = new Set<string>();
  let left = 0;
  let why = '';
  for (const fn of functions) {
    const program = compileWatch(expression, fn, known, at);
    if ('why' in program) {
      left++;
      why ||= `${fn.name}: ${program.why}`;
    } else {
      byFunction.push([fn, program]);
      for (const note of lessOf(program)) notes.add(note);
    }
  }
  if (byFunction.length === 0) throw new Refused(sentence(expr, why));
  const leftOut =
    left > 0 ? [`It means nothing in ${left} of ${functions.length} functions (${why}).`] : [];
  return { byFunction, notes: [...leftOut, ...notes].slice(0, mostNotes) };
}

function sampledAt({ at = 'both' }: WatchRequest): SampledAt {
  return at === 'write' ? 'both' : at;
}

function lessOf({ less }: WatchProgram): string[] {
  return less === null ? [] : [`In some functions ${less}.`];
}

async function variableOf(
  name: string,
  depth: number,
  functions: readonly FoundFunction[],
  around: WatchSurroundings,
): Promise<FoundVariable> {
  if (name === 'this' || name === 'return')
    throw name === 'return'
      ? new Refused('What a call returns is recorded with it: ask debug_query with returnValue.')
      : functions.length === 0
        ? new Waits('No traced function has a `this` yet: add a pattern of methods.')
        : new Refused('None of the traced functions has a `this`: say `on` which are meant.');
  const { variables, refused, nearest } = await around.variables(name, depth);
  const [found, other] = variables;
  if (found && !other) return found;
  if (found) {
    const some = variables.map(
      (one) => `${one.name} (${one.file ?? one.module}:${one.line ?? '?'})`,
    );
    throw new Refused(
      `${name} means several variables: ${some.join(', ')}. Write more of the name, or "file.c"::${name}.`,
    );
  }
  if (refused.length > 0) throw new Refused(`${name} cannot be read: ${refused.join('; ')}.`);
  const near = nearest.length > 0 ? ` Nearest: ${nearest.join(', ')}.` : '';
  throw new Waits(
    `No variable of the loaded modules, and no parameter of a traced function, is named ${name}.${near}`,
  );
}

function refuseSecret(expression: Expression, secretNames: readonly string[]): void {
  const named: string[] = [];
  walk(expression, (one) => {
    if (one.kind === 'name') named.push(one.name);
    if (one.kind === 'member') named.push(one.field);
  });
  const isWhole = expression.kind === 'name' || expression.kind === 'member';
  const text = { kind: 'cstring', name: '' } as const;
  for (const name of isWhole ? named.slice(0, 1) : named) {
    const word = canTellSecret(text) ? secretIn(name, secretNames) : null;
    if (word !== null)
      throw new Refused(
        `${name} looks like a secret ("${word}" of the setting redaction.names): it is not read.`,
      );
  }
}

function namesOf(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  walk(expression, (one) => {
    if (one.kind === 'name') names.add(one.name);
  });
  return names;
}

/** Pointers it may follow at most. */
function hopsOf(expression: Expression): number {
  let hops = 0;
  walk(expression, (one) => {
    if (one.kind === 'member' || one.kind === 'index') hops++;
    if (one.kind === 'unary' && one.operator === '*') hops++;
  });
  return hops;
}

/** Those, and behind them those of a watched value. */
function depthOf(expression: Expression): number {
  return Math.min(deepest, hopsOf(expression) + watchedDepth.levels);
}

function walk(expression: Expression, visit: (one: Expression) => void): void {
  visit(expression);
  switch (expression.kind) {
    case 'member':
    case 'unary':
      walk(expression.of, visit);
      return;
    case 'index':
      walk(expression.of, visit);
      walk(expression.at, visit);
      return;
    case 'binary':
      walk(expression.left, visit);
      walk(expression.right, visit);
      return;
    case 'call':
      for (const one of expression.args) walk(one, visit);
      return;
    default:
  }
}

function sentence(expr: string, why: string): string {
  return `${expr} cannot be watched: ${why}.`;
}

function definitionOf(
  number: number,
  request: WatchRequest,
  { type, isOfCall }: Pick<WatchProgram, 'type' | 'isOfCall'>,
): WatchDefinition {
  const { expr, address } = request;
  return { number, label: watchLabel(request), expr: expr ?? address ?? '', type, isOfCall };
}

function reportOf(
  request: WatchRequest,
  state: WatchReport['state'],
  rest: Pick<WatchReport, 'type' | 'functions' | 'notes'>,
): WatchReport {
  const { expr, address, on = null, at = 'both' } = request;
  return { label: watchLabel(request), expr: expr ?? address ?? '', on, at, state, ...rest };
}

/** Of watches that wait for the next launch. */
export function stagedWatches(requests: readonly WatchRequest[]): WatchReport[] {
  return requests.map((request) =>
    reportOf(request, 'staged', { type: null, functions: 0, notes: [] }),
  );
}
