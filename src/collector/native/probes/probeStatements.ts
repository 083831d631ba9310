import type { FoundStatement, StatementMatch } from '../../../model/functions/foundStatement.ts';
import type { FoundVariable } from '../../../model/functions/foundVariable.ts';
import type { PatternMatch } from '../../../model/functions/traceable.ts';
import { watchedDepth } from '../../../model/values/shape.ts';
import { eachPart, namesIn, type Expression } from '../../../model/watches/expression.ts';
import type { TracedSession } from '../../tracer.ts';
import type { WantedProbe } from '../../wantedProbe.ts';
import type { NativeCode } from '../nativeParts.ts';
import { codePlace } from '../watches/processPlaces.ts';

const mostFunctions = 16;
const deepest = 6;

/** The statements that a breakpoint means, and the variables with places of their own that it names. */
export interface ProbeStatementMatch {
  readonly match: StatementMatch;
  readonly globals: ReadonlyMap<string, FoundVariable>;
}

/** What debug information says of the arguments of a function, at an instruction of it. */
export interface KnownArguments {
  readonly function: string;
  readonly names: readonly string[];
  /** Of those the ones that hold nothing of the program there. */
  readonly unset: readonly string[];
}

/** Finds what breakpoints mean in programs of machine code. */
export class ProbeStatements {
  readonly #session: TracedSession;
  readonly #code: NativeCode;

  constructor(session: TracedSession, code: NativeCode) {
    this.#session = session;
    this.#code = code;
  }

  /** `pid`: the main process, in which an address means something; null: it is gone. */
  async find(
    probe: WantedProbe,
    units: readonly string[],
    pid: number | null = null,
  ): Promise<ProbeStatementMatch> {
    const match = await this.match(probe, units, pid);
    return { match, globals: await this.globals(probe, match.statements, units) };
  }

  /** Those of lines and functions. */
  async match(
    probe: WantedProbe,
    units: readonly string[],
    pid: number | null,
  ): Promise<StatementMatch> {
    const { where, locals } = probe.request;
    const code = this.#code;
    const names = locals ? null : [...namesOf(probe)];
    const wanted = { names, depth: depthOf(probe), projectRoot: this.#session.projectRoot };
    if (where.kind === 'line' || where.kind === 'text')
      return code.statements(units, where, wanted);
    if (where.kind !== 'function' && where.kind !== 'address')
      return noMatch('It is no place of its own.');
    if (where.kind === 'address') {
      const found = pid === null ? null : codePlace(pid, BigInt(where.address));
      if (found === null)
        return noMatch(`There is no code of a file at ${where.address} in the main process.`);
      return code.statements([found.module], { kind: 'offset', ...found }, wanted);
    }
    if (probe.pattern === null) return noMatch('It has no function.');
    const found = await code.find(units, probe.pattern, this.#session);
    const { functions } = found.value;
    if (functions.length === 0)
      return await this.#withoutCode(where.pattern, found.value, units, wanted);
    if (functions.length > mostFunctions)
      return noMatch(
        `${where.pattern} means ${functions.length} functions; a breakpoint is in at most ${mostFunctions}.`,
      );
    const all: StatementMatch[] = [];
    for (const { unit: module, address } of functions)
      all.push(await code.statements(units, { kind: 'body', module, address }, wanted));
    const statements = all.flatMap((one) => one.statements);
    const why = statements.length > 0 ? null : (all[0]?.why ?? null);
    return {
      statements,
      moved: null,
      isStale: all.some(({ isStale }) => isStale),
      why,
      nearest: [],
    };
  }

  /** Of a function without code of its own its copies, or why there is none. */
  async #withoutCode(
    pattern: string,
    { inlined: [first, another], nearest }: PatternMatch,
    units: readonly string[],
    wanted: Parameters<NativeCode['statements']>[2],
  ): Promise<StatementMatch> {
    if (first && another)
      return noMatch(
        `${pattern} means functions that are inlined wherever they are used (${first.name}, ${another.name}): give one by its name, or a line of it.`,
      );
    const name = first?.name ?? pattern;
    const copies = await this.#code.statements(units, { kind: 'copies', name }, wanted);
    if (copies.statements.length > 0 || copies.why !== null) return copies;
    const near = nearest.length > 0 ? ` Nearest: ${nearest.join(', ')}.` : '';
    return noMatch(
      `${pattern} means no function that is loaded; it is set when one is loaded.${near}`,
    );
  }

  /** The arguments of the function with code of its own that holds an address; null: not known. */
  async argumentsAt(pid: number, address: bigint): Promise<KnownArguments | null> {
    const place = codePlace(pid, address);
    if (place === null) return null;
    const { module, offset } = place;
    const wanted = { names: [], depth: 0 };
    const match = await this.#code.statements([module], { kind: 'bodyAt', module, offset }, wanted);
    const [body] = match.statements;
    if (!body) return null;
    const { functionName, argumentNames, resultNames } = body;
    // Results are cleared by the first instructions of the body.
    const unset = body.offset === offset ? resultNames : [];
    return { function: functionName, names: argumentNames, unset };
  }

  /** Variables with a place of their own that expressions name. */
  async globals(
    probe: WantedProbe,
    statements: readonly FoundStatement[],
    units: readonly string[],
  ): Promise<Map<string, FoundVariable>> {
    const globals = new Map<string, FoundVariable>();
    for (const name of namesOf(probe)) {
      if (statements.every(({ inScope }) => inScope.includes(name))) continue;
      const { variables } = await this.#code.variables(units, name, depthOf(probe));
      const [variable, another] = variables;
      if (variable && !another) globals.set(name, variable);
    }
    return globals;
  }
}

/** Why a pattern's functions are asked nothing inside; a whole sentence. */
export const noFunction =
  'No loaded function has code of its own by that pattern: where it is inlined, set a breakpoint at one of its lines, which has a place in each copy.';

/** Nothing was found; `why`: a whole sentence. */
export function noMatch(why: string | null): StatementMatch {
  return { statements: [], moved: null, isStale: false, why, nearest: [] };
}

function expressionsOf({ condition, invariant, values }: WantedProbe): Expression[] {
  return [
    ...(condition === null ? [] : [condition]),
    ...(invariant === null ? [] : [invariant]),
    ...values.map(({ expression }) => expression),
  ];
}

function namesOf(probe: WantedProbe): ReadonlySet<string> {
  const names = new Set<string>();
  for (const expression of expressionsOf(probe))
    for (const name of namesIn(expression)) names.add(name);
  return names;
}

/** Pointers that its expressions follow at most, and behind them those of a whole value. */
function depthOf(probe: WantedProbe): number {
  let hops = 0;
  for (const expression of expressionsOf(probe))
    eachPart(expression, (one) => {
      if (one.kind === 'member' || one.kind === 'index') hops++;
      if (one.kind === 'unary' && one.operator === '*') hops++;
    });
  return Math.min(deepest, hops + watchedDepth.levels);
}
