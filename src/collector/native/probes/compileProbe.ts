import { watchFlags, type TracedFunction } from '../../../model/eventColumns.ts';
import type { FoundStatement } from '../../../model/functions/foundStatement.ts';
import type { FoundVariable } from '../../../model/functions/foundVariable.ts';
import { secretIn } from '../../../model/values/redaction.ts';
import type { ScalarType } from '../../../model/values/scalarType.ts';
import type { ValueType } from '../../../model/values/valueType.ts';
import { readsSecret } from '../../../model/watches/readsSecret.ts';
import type { Expression } from '../../../model/watches/expression.ts';
import { replaceParts } from '../../../model/watches/replaceParts.ts';
import { probeEntry } from '../../../protocol/statementProbe.ts';
import { condition as words } from '../../../protocol/record.ts';
import type { WantedProbe } from '../../wantedProbe.ts';
import { ExpressionCompiler } from '../expressions/expressionCompiler.ts';
import { CannotCompile } from '../expressions/fieldPlace.ts';
import { isArgs } from '../expressions/expressionForms.ts';
import { isScalar } from '../expressions/operandKind.ts';
import type { Names, Variables } from '../expressions/placeCompiler.ts';
import { compileWatch, type WatchProgram } from '../watches/compileWatch.ts';
import { invariantParts } from '../../invariantParts.ts';
import type { PlacedProbe } from './processProbes.ts';

/** A breakpoint at a statement: what the engine does there, and what the hits will hold. */
export interface CompiledProbe extends Pick<
  PlacedProbe,
  'condition' | 'values' | 'hasVectors' | 'gathered'
> {
  readonly captured: TracedFunction['captured'];
  readonly uncaptured: TracedFunction['uncaptured'];
}

/** What names mean at a statement. */
export interface ProbeNames {
  readonly statement: FoundStatement;
  /** By the names an expression gives them: those of the statement's scope hide others. */
  readonly globals: Variables;
  readonly secretNames: readonly string[];
}

/** `args[0]` is the function's first argument, whatever its name. */
function withArguments(
  asked: WantedProbe,
  { argumentNames, inScope }: FoundStatement,
): WantedProbe {
  const named = (expression: Expression): Expression =>
    replaceParts(expression, (one) => {
      if (one.kind === 'name') return onHeap(one.name, inScope);
      if (one.kind !== 'index' || !isArgs(one.of) || one.at.kind !== 'integer') return null;
      const name = inScope.includes('args') ? undefined : argumentNames[Number(one.at.value)];
      return name === undefined ? null : (onHeap(name, inScope) ?? { kind: 'name', name });
    });
  const { condition, invariant, values } = asked;
  return {
    ...asked,
    condition: condition && named(condition),
    invariant: invariant && named(invariant),
    values: values.map(({ text, expression }) => ({ text, expression: named(expression) })),
  };
}

/** A variable of Go that escapes is kept as a pointer to it, whose name begins with an ampersand. */
function onHeap(name: string, inScope: readonly string[]): Expression | null {
  const pointer = name.startsWith('&') ? name : `&${name}`;
  if (!inScope.includes(pointer) || inScope.includes(name.replace(/^&/, ''))) return null;
  return { kind: 'unary', operator: '*', of: { kind: 'name', name: pointer } };
}

/** `why`: the end of a whole sentence: what the condition or a value names is not there. */
export function compileProbe(
  asked: WantedProbe,
  around: ProbeNames,
): CompiledProbe | { readonly why: string } {
  const gathered = new Gathered();
  const names = { ...around, gather: (one: FoundVariable) => gathered.wordOf(one) };
  const probe = withArguments(asked, names.statement);
  const captured: { name: string; type: ValueType }[] = [];
  const uncaptured: TracedFunction['uncaptured'][number][] = [];
  const values: WatchProgram[] = [];
  const parts = probe.invariant === null ? [] : invariantParts(probe.invariant);
  const wanted = [
    ...probe.values,
    ...parts,
    ...(probe.request.locals ? localsOf(probe, names) : []),
  ];
  for (const { text, expression } of wanted) {
    const secret = secretOf(expression, names);
    const value = secret === null ? valueOf(expression, names) : { why: secret };
    const isFull = values.length >= probeEntry.maxValues;
    if ('why' in value || isFull) {
      const why = 'why' in value ? value.why : `only ${probeEntry.maxValues} values are captured`;
      if (probe.values.some((one) => one.expression === expression))
        return { why: why.startsWith(`"${text}"`) ? why : `"${text}": ${why}` };
      uncaptured.push({ name: text, typeName: '?', reason: why });
      continue;
    }
    // Of each line that runs what is small is kept.
    if (probe.request.where.kind === 'lines' && value.type.kind === 'tree') continue;
    values.push(value);
    captured.push({ name: text, type: value.type });
  }
  const checked = probe.condition ?? probe.invariant;
  const condition = checked === null ? null : conditionOf(checked, names);
  if (condition !== null && 'why' in condition)
    return { why: `its ${probe.condition ? 'condition' : 'invariant'}: ${condition.why}` };
  const all = [...values, ...(condition === null ? [] : [condition])].flatMap((one) => one.words);
  const hasVectors = all.some(isVector);
  return { captured, uncaptured, values, condition, hasVectors, gathered: gathered.words };
}

/** What is put together of values that are in several places; see probeEntry. */
class Gathered {
  readonly words: bigint[] = [];
  readonly #known = new Map<FoundVariable, number>();
  #end = 0;

  /** The stack word where the value begins; null: there is no room. */
  wordOf(variable: FoundVariable): number | null {
    const known = this.#known.get(variable);
    if (known !== undefined || variable.place.kind !== 'parts') return known ?? null;
    const { parts } = variable.place;
    const bytes = variable.type.shapes[variable.type.root]?.bytes ?? 0;
    const end = this.#end + Math.ceil(bytes / 8);
    const { maxGathered, gatheredAt } = probeEntry;
    if (end > maxGathered || this.words.length + parts.length > maxGathered) return null;
    for (const [i, { bytes: count, register, distance }] of parts.entries()) {
      const flags = (distance === null ? 0 : 1) | (i === 0 ? 2 : 0);
      const low = register | (flags << 8) | (count << 16);
      this.words.push((BigInt((distance ?? 0) >>> 0) << 32n) | BigInt(low >>> 0));
    }
    const at = gatheredAt + this.#end;
    this.#end = end;
    this.#known.set(variable, at);
    return at;
  }
}

export function isVector(word: bigint): boolean {
  const operation = Number(word & 0xffn);
  return operation === words.vector || operation === words.float;
}

function localsOf(
  { values }: WantedProbe,
  { statement: { inScope, isOfGo }, secretNames }: ProbeNames,
): WantedProbe['values'] {
  const named = new Set(values.map(({ text }) => text));
  return inScope.flatMap((own) => {
    const pointed = isOfGo && own.startsWith('&') ? onHeap(own, inScope) : null;
    const name = pointed ? own.slice(1) : own;
    if (named.has(name) || secretIn(name, secretNames) !== null) return [];
    return [{ text: name, expression: pointed ?? { kind: 'name', name } }];
  });
}

function secretOf(expression: Expression, { secretNames }: ProbeNames): string | null {
  const isWhole = expression.kind === 'name' || expression.kind === 'member';
  return readsSecret(expression, secretNames, isWhole);
}

type CompiledNames = ProbeNames & Required<Pick<Names, 'gather'>>;

/** Where the names of a statement are; the registers are its stack words. */
function scopeOf({ statement, globals, gather }: CompiledNames) {
  const variables = new Map<string, FoundVariable>(globals);
  for (const one of statement.variables) variables.set(one.name, one);
  for (const { name } of statement.parameters) variables.delete(name);
  return {
    fn: { parameters: statement.parameters, returns: { kind: 'void' } as const },
    variables,
    gather,
  };
}

function conditionOf(expression: Expression, names: CompiledNames) {
  const secret = readsSecret(expression, names.secretNames);
  if (secret !== null) return { why: secret };
  const { fn, variables, gather } = scopeOf(names);
  try {
    const compiler = new ExpressionCompiler(fn, { variables, gather });
    const meaning = compiler.value(expression);
    if (meaning.kind === 'text') throw new CannotCompile('a text is neither true nor false');
    if (compiler.words.length > probeEntry.maxWords) throw new CannotCompile('it is too long');
    return { words: compiler.words, fixups: compiler.fixups };
  } catch (error) {
    if (error instanceof CannotCompile) return { why: withScope(error.message, names) };
    throw error;
  }
}

function valueOf(
  expression: Expression,
  names: CompiledNames,
): WatchProgram | { readonly why: string } {
  const { fn, variables, gather } = scopeOf(names);
  const { secretNames } = names;
  const program = compileWatch(expression, fn, { variables, secretNames, gather }, 'enter');
  if ('why' in program) return { why: withScope(program.why, names) };
  return withReason(program, expression.kind === 'name');
}

/** The program of a captured value; `isSure`: it can always be read. */
export function withReason(program: WatchProgram, isSure: boolean): WatchProgram {
  const { type } = program;
  if (!isScalar(type) || isSure) return { ...program, form: program.form & ~watchFlags.address };
  return asTold(program, type);
}

/** A number that may not be there is captured as a value that can say so. */
function asTold(program: WatchProgram, type: ScalarType): WatchProgram {
  const bytes = 'bytes' in type ? type.bytes : 8;
  const tree: Extract<ValueType, { kind: 'tree' }> = {
    kind: 'tree',
    name: type.name,
    depth: 0,
    root: 0,
    shapes: [{ kind: 'scalar', bytes, type }],
  };
  const form = watchFlags.text | watchFlags.tree | probeEntry.isNumber;
  return { ...program, type: tree, form, limit: bytes };
}

/** Where a name is not known, those that are. */
function withScope(why: string, { statement }: ProbeNames): string {
  const { argumentNames } = statement;
  if (/has no argument/.test(why) && argumentNames.length > 0)
    return `${why}: its arguments are ${argumentNames.join(', ')}`;
  if (!/has no parameter/.test(why)) return why;
  const [, name = '?'] = /"([^"]*)"/.exec(why) ?? [];
  const known = statement.inScope.join(', ');
  return `"${name}" is not in scope there${known === '' ? '' : `: in scope are ${known}`}`;
}
