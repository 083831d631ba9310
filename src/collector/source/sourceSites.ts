import type { TracedProbe } from '../../model/eventColumns.ts';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { SourceStatement } from '../../model/functions/sourceStatement.ts';
import { secretIn } from '../../model/values/redaction.ts';
import { probeLabel, type ProbePlace, type ProbeRequest } from '../../model/probes/probe.ts';
import { namesIn, type Expression } from '../../model/watches/expression.ts';
import { readsSecret } from '../../model/watches/readsSecret.ts';
import { invariantParts } from '../invariantParts.ts';
import type { WantedProbe } from '../wantedProbe.ts';
import type { CompiledWatch } from './sampledWatches.ts';

/** A breakpoint at one statement of a source file. `C`: what an expression becomes. */
export interface SourceSite<C> {
  /** Tells which it is. */
  readonly key: string;
  readonly file: string;
  readonly statement: SourceStatement;
  /** It is asked where calls of this function return. */
  readonly returnOf: SourceFunction | null;
  readonly name: string;
  readonly probe: TracedProbe;
  readonly captured: readonly { readonly text: string; readonly code: C }[];
  readonly condition: C | null;
  /** Of an invariant: what all its places share. */
  readonly check: string | null;
  /** Variables that the expressions name. */
  readonly names: readonly string[];
  readonly after: number;
  readonly every: number;
  /** 0: any number. */
  readonly most: number;
  /** How deep values are kept; 0: as usual. */
  readonly levels: number;
  /** Its thread stands still there. */
  readonly stops: boolean;
}

/** A statement that a breakpoint means; of an invariant at returns, what stands for them. */
export interface MeantStatement {
  readonly returnOf: SourceFunction | null;
  readonly file: string;
  readonly statement: SourceStatement;
  /** Of the function that holds it, with its module. */
  readonly functionName: string;
  /** As the file has the line now. */
  readonly text: string | null;
}

/** What names mean there. */
export interface SiteNames<C> {
  readonly constants: readonly string[];
  readonly secretNames: readonly string[];
  compile(expression: Expression, meant: MeantStatement): CompiledWatch<C>;
}

export interface PlacedSite<C> {
  readonly at: Pick<ProbePlace, 'function' | 'file' | 'line' | 'text'>;
  readonly site: SourceSite<C>;
  readonly missing: readonly string[];
}

const mostLocals = 16;
const lineLevels = 1;

/** `why`: what the condition or a value names is not there; a whole sentence. */
export function siteOf<C>(
  probe: WantedProbe,
  meant: MeantStatement,
  names: SiteNames<C>,
): PlacedSite<C> | { readonly why: string } {
  const { request, invariant } = probe;
  const { statement, file, functionName, text, returnOf } = meant;
  const scope = new StatementScope(meant, names);
  const values = valuesOf(probe, scope, names);
  if ('why' in values) return values;
  const asked = probe.condition ?? invariant;
  const condition = asked === null ? null : scope.compile(asked);
  if (condition !== null && 'why' in condition) {
    const what = probe.condition ? 'condition' : 'invariant';
    return { why: `Its ${what} cannot be: ${condition.why}.` };
  }
  const isLine = request.where.kind === 'lines';
  const content = {
    name: isLine ? `${functionName}:${statement.line}` : probeLabel(request),
    probe: told(probe, isLine ? { of: functionName, text } : null, returnOf),
    captured: values.captured,
    condition: condition?.code ?? null,
    ...limitsOf(request),
    levels: isLine ? lineLevels : 0,
    stops: request.stop !== undefined,
  };
  return {
    at: { function: functionName, file, line: statement.line, text },
    site: {
      ...content,
      key: JSON.stringify([file, statement.offset, content]),
      file,
      statement,
      returnOf,
      check: request.invariant === undefined ? null : `${probe.id} ${request.invariant}`,
      names: scope.used,
    },
    missing: values.missing,
  };
}

function told(
  { id, request }: WantedProbe,
  line: TracedProbe['line'] | null,
  returnOf: SourceFunction | null,
): TracedProbe {
  const { log = null, invariant } = request;
  return {
    id,
    log,
    ...(invariant === undefined ? {} : { invariant }),
    ...(line ? { line } : {}),
    ...(returnOf ? { returnOf: returnOf.name } : {}),
  };
}

interface Values<C> {
  readonly captured: SourceSite<C>['captured'];
  readonly missing: readonly string[];
}

/** What a hit carries: what was asked, what an invariant reads, and variables of the functions around. */
function valuesOf<C>(
  { request, invariant, values }: WantedProbe,
  scope: StatementScope<C>,
  { secretNames }: SiteNames<C>,
): Values<C> | { readonly why: string } {
  const captured: { text: string; code: C }[] = [];
  const missing: string[] = [];
  for (const { text, expression } of values) {
    const value = scope.compile(expression);
    if ('why' in value) return { why: `The value ${text} cannot be: ${value.why}.` };
    captured.push({ text, code: value.code });
  }
  for (const { text, expression } of invariant === null ? [] : invariantParts(invariant)) {
    const value = scope.compile(expression);
    if ('why' in value) missing.push(`${text}: ${value.why}`);
    else captured.push({ text, code: value.code });
  }
  const known = new Set(captured.map(({ text }) => text));
  const locals = request.locals ? scope.locals : [];
  for (const name of locals.filter((one) => !known.has(one)).slice(0, mostLocals)) {
    if (secretIn(name, secretNames) !== null) continue;
    const value = scope.compile({ kind: 'name', name });
    if ('code' in value) captured.push({ text: name, code: value.code });
  }
  return { captured, missing };
}

/** What expressions mean at a statement. */
class StatementScope<C> {
  readonly #meant: MeantStatement;
  readonly #statement: SourceStatement;
  readonly #names: SiteNames<C>;
  readonly #used = new Set<string>();

  constructor(meant: MeantStatement, names: SiteNames<C>) {
    this.#meant = meant;
    this.#statement = meant.statement;
    this.#names = names;
  }

  get locals(): readonly string[] {
    return this.#statement.locals;
  }

  /** Variables that were named. */
  get used(): readonly string[] {
    return [...this.#used];
  }

  compile(expression: Expression): CompiledWatch<C> {
    const own = withoutArgs(expression, this.#statement.holder?.parameters ?? []);
    const why = whyNot(own, this.#statement, this.#names);
    if (why !== null) return { why };
    for (const name of namesIn(own)) this.#used.add(rootOf(name));
    return this.#names.compile(own, this.#meant);
  }
}

/** Of hits that meet the condition those that are wanted. */
function limitsOf({
  at,
  after = 0,
  every = 0,
  once,
}: ProbeRequest): Pick<SourceSite<never>, 'after' | 'every' | 'most'> {
  if (at !== undefined) return { after: at - 1, every: 0, most: 1 };
  return { after, every, most: once === true ? 1 : 0 };
}

function rootOf(name: string): string {
  return name.split('::')[0] ?? name;
}

function whyNot<C>(
  expression: Expression,
  { locals, globals }: SourceStatement,
  { constants, secretNames }: SiteNames<C>,
): string | null {
  const isWhole = expression.kind === 'name' || expression.kind === 'member';
  const secret = readsSecret(expression, secretNames, isWhole);
  if (secret !== null) return secret;
  const known = new Set([...locals, ...globals, ...constants]);
  for (const name of namesIn(expression)) {
    const root = rootOf(name);
    if (known.has(root)) continue;
    if (root === 'return') return 'what is returned is not known there';
    const there = [...locals, ...globals].join(', ');
    return `"${root}" is not in scope there${there === '' ? '' : `: in scope are ${there}`}`;
  }
  return null;
}

/** `args[0]` is the first parameter. */
function withoutArgs(expression: Expression, parameters: readonly string[]): Expression {
  const inner = (one: Expression): Expression => withoutArgs(one, parameters);
  switch (expression.kind) {
    case 'index': {
      const { of, at } = expression;
      const isArgs = of.kind === 'name' && of.name === 'args' && !parameters.includes('args');
      const name = isArgs && at.kind === 'integer' ? parameters[Number(at.value)] : undefined;
      return name === undefined
        ? { ...expression, of: inner(of), at: inner(at) }
        : { kind: 'name', name };
    }
    case 'member':
    case 'unary':
    case 'cast':
      return { ...expression, of: inner(expression.of) };
    case 'binary':
      return { ...expression, left: inner(expression.left), right: inner(expression.right) };
    case 'call':
      return { ...expression, args: expression.args.map(inner) };
    default:
      return expression;
  }
}
