import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { FoundVariable, VariableMatch } from '../../../model/functions/foundVariable.ts';
import type { Pattern } from '../../../model/names/pattern.ts';
import { watchedDepth } from '../../../model/values/shape.ts';
import { eachPart, namesIn, type Expression } from '../../../model/watches/expression.ts';
import { readsSecret } from '../../../model/watches/readsSecret.ts';
import {
  watchLabel,
  type SampledAt,
  type WatchDefinition,
  type WatchRequest,
} from '../../../model/watches/watch.ts';
import type { WantedWatch } from '../../tracer.ts';
import {
  compileWatch,
  watchAddress,
  type WatchedNames,
  type WatchProgram,
} from './compileWatch.ts';
import { withoutSecretParameters } from '../secretShapes.ts';
import { withPackages } from './packageNames.ts';

/** What the names in a watch may mean. */
export interface NamesAround {
  readonly secretNames: readonly string[];
  /** Of the main process; null: it is gone. */
  readonly pid: number | null;
  /** The wanted functions a pattern means, or all of them, with the number of pointers followed in their values. */
  functions(pattern: Pattern | null, depth: number): Promise<readonly FoundFunction[]>;
  variables(name: string, depth: number): Promise<VariableMatch>;
}

/** Why a watch cannot be; a whole sentence. */
export class Refused extends Error {}
/** Why it waits; a whole sentence. */
export class Waits extends Error {}

const deepest = 6;
const mostNotes = 2;

/** A watch in each function it means something in. */
interface Programs {
  readonly byFunction: readonly (readonly [FoundFunction, WatchProgram])[];
  readonly notes: readonly string[];
}

/** Of a place in memory. Throws Refused or Waits. */
export async function writeProgram(
  { request, expression: written }: WantedWatch,
  around: NamesAround,
): Promise<WatchProgram> {
  const { expr = '', address = '0x0', type = '' } = request;
  if (written === null) {
    const program = watchAddress(BigInt(address), type, 'both', around.pid);
    if (program) return program;
    throw new Refused(unknownType(type));
  }
  refuseSecret(written, around.secretNames);
  const expression = await withPackages(written, [], around);
  const depth = depthOf(expression);
  const variables = new Map<string, FoundVariable>();
  for (const name of namesIn(expression)) {
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

/** `mostWords`: of the engine's code, where it is no watch's. Throws Refused or Waits. */
export async function programsOf(
  { request, expression: written, on }: WantedWatch,
  around: NamesAround,
  mostWords?: number,
): Promise<Programs> {
  const { expr = '' } = request;
  const at = sampledAt(request);
  const functions = await around.functions(on, 0);
  if (written === null) {
    const program = watchAddress(
      BigInt(request.address ?? '0x0'),
      request.type ?? '',
      at,
      around.pid,
    );
    if (!program) throw new Refused(unknownType(request.type ?? ''));
    return { byFunction: functions.map((fn) => [fn, program] as const), notes: [] };
  }
  refuseSecret(written, around.secretNames);
  const expression = await withPackages(written, functions, around);
  const names = namesIn(expression);
  const depth = depthOf(expression);
  const variables = new Map<string, FoundVariable>();
  const parameters: string[] = [];
  for (const name of names) {
    if (name === 'args') continue;
    if (name === 'return') {
      if (at === 'enter')
        throw new Refused(
          `What is returned is not known yet when a call begins: watch ${expr} at "return".`,
        );
      continue;
    }
    const isParameter = functions.some((fn) => fn.parameters.some((one) => one.name === name));
    if (isParameter) parameters.push(name);
    else variables.set(name, await variableOf(name, depth, functions, around));
  }
  const known = { variables, secretNames: around.secretNames };
  if (parameters.length === 0 && !names.has('args') && !names.has('return')) {
    const program = compileWatch(expression, null, known, at, mostWords);
    if ('why' in program) throw new Refused(sentence(expr, program.why));
    return { byFunction: functions.map((fn) => [fn, program] as const), notes: lessOf(program) };
  }
  const deep = hopsOf(expression) > 0 ? await around.functions(on, depth) : functions;
  const meant = deep.filter((fn) =>
    parameters.every((name) => fn.parameters.some((one) => one.name === name)),
  );
  return perFunction(request, expression, meant, { ...known, mostWords });
}

function perFunction(
  request: WatchRequest,
  expression: Expression,
  functions: readonly FoundFunction[],
  known: WatchedNames & { readonly mostWords: number | undefined },
): Programs {
  const { expr = '' } = request;
  const at = sampledAt(request);
  const byFunction: [FoundFunction, WatchProgram][] = [];
  const notes = new Set<string>();
  let left = 0;
  let why = '';
  for (const fn of functions) {
    const program = compileWatch(
      expression,
      withoutSecretParameters(fn, known),
      known,
      at,
      known.mostWords,
    );
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
  around: NamesAround,
): Promise<FoundVariable> {
  if (name === 'this')
    throw functions.length === 0
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
  const near =
    nearest.length > 0
      ? ` Nearest: ${nearest.join(', ')}.`
      : ' Local variables of functions cannot be read.';
  throw new Waits(
    `No variable of the loaded modules, and no parameter of a traced function, is named ${name}.${near}`,
  );
}

function refuseSecret(expression: Expression, secretNames: readonly string[]): void {
  const isWhole = expression.kind === 'name' || expression.kind === 'member';
  const why = readsSecret(expression, secretNames, isWhole);
  if (why !== null) throw new Refused(`${why}.`);
}

/** Pointers it may follow at most. */
function hopsOf(expression: Expression): number {
  let hops = 0;
  eachPart(expression, (one) => {
    if (one.kind === 'member' || one.kind === 'index') hops++;
    if (one.kind === 'unary' && one.operator === '*') hops++;
  });
  return hops;
}

/** Those, and behind them those of a watched value. */
function depthOf(expression: Expression): number {
  return Math.min(deepest, hopsOf(expression) + watchedDepth.levels);
}

function sentence(expr: string, why: string): string {
  return `${expr} cannot be watched: ${why}.`;
}

export function definitionOf(
  number: number,
  request: WatchRequest,
  { type, isOfCall }: Pick<WatchProgram, 'type' | 'isOfCall'>,
): WatchDefinition {
  const { expr, address } = request;
  return { number, label: watchLabel(request), expr: expr ?? address ?? '', type, isOfCall };
}
