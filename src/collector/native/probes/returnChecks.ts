import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { Expression } from '../../../model/watches/expression.ts';
import { watchAt } from '../../../protocol/record.ts';
import { probeEntry } from '../../../protocol/statementProbe.ts';
import type { WantedProbe } from '../../wantedProbe.ts';
import type { WatchProgram } from '../watches/compileWatch.ts';
import type { FunctionWatches, NumberedWatch } from '../watches/watchTable.ts';
import { programsOf, Refused, Waits, type NamesAround } from '../watches/watchPrograms.ts';
import { isVector, withReason, type CompiledProbe } from './compileProbe.ts';
import { invariantParts } from '../../invariantParts.ts';
import { noFunction } from './probeStatements.ts';

/** An invariant where the calls of one function return. */
export interface ReturnCheck {
  readonly fn: FoundFunction;
  readonly compiled: CompiledProbe;
}

/** Whole sentences: why there are none, or not in all functions. */
export interface ReturnChecks {
  readonly checks: readonly ReturnCheck[];
  readonly notes: readonly string[];
  readonly why: string | null;
}

/** What an invariant means in the functions of its pattern. */
export async function returnChecks(
  probe: WantedProbe,
  invariant: Expression,
  around: NamesAround,
): Promise<ReturnChecks> {
  try {
    const meant = await around.functions(probe.pattern, 0);
    if (meant.length === 0) return { checks: [], notes: [], why: noFunction };
    const all = await programsAt(invariant, probe, around, probeEntry.maxWords);
    const parts: { readonly text: string; readonly byId: ReadonlyMap<string, WatchProgram> }[] = [];
    for (const { text, expression } of invariantParts(invariant)) {
      const programs = await programsAt(expression, probe, around).catch((error: unknown) => {
        if (error instanceof Refused || error instanceof Waits) return null;
        throw error;
      });
      parts.push({ text, byId: new Map(programs?.byFunction.map(([fn, one]) => [fn.id, one])) });
    }
    const checks = all.byFunction.map(([fn, program]) => {
      const values = parts.flatMap(({ text, byId }) => {
        const part = byId.get(fn.id);
        return part ? [{ name: text, program: withReason(part, false) }] : [];
      });
      const shown = values.slice(0, probeEntry.maxValues);
      const compiled: CompiledProbe = {
        condition: program,
        values: shown.map((one) => one.program),
        gathered: [],
        hasVectors: [program, ...shown.map((one) => one.program)].some(({ words }) =>
          words.some(isVector),
        ),
        captured: shown.map(({ name, program: { type } }) => ({ name, type })),
        uncaptured: [],
      };
      return { fn, compiled };
    });
    return { checks, notes: all.notes, why: null };
  } catch (error) {
    if (!(error instanceof Refused) && !(error instanceof Waits)) throw error;
    return { checks: [], notes: [], why: error.message };
  }
}

async function programsAt(
  expression: Expression,
  { request, pattern }: WantedProbe,
  around: NamesAround,
  mostWords?: number,
): ReturnType<typeof programsOf> {
  const { invariant: expr = '' } = request;
  const watch = { request: { expr, at: 'return' as const }, expression, on: pattern };
  return await programsOf(watch, around, mostWords);
}

/** What has the engine look at the rows of these numbers where calls return; by function. */
export function checkWatches(
  checks: readonly { readonly fn: FoundFunction; readonly number: number }[],
): FunctionWatches {
  const watches = new Map<string, NumberedWatch[]>();
  for (const { fn, number } of checks) {
    const known = watches.get(fn.id) ?? [];
    watches.set(fn.id, known);
    known.push({ number: 0, program: checkProgram(number) });
  }
  return watches;
}

function checkProgram(number: number): WatchProgram {
  return {
    words: [],
    fixups: [],
    form: probeEntry.isCheck,
    where: number,
    limit: 0,
    at: watchAt.return,
    type: { kind: 'bool', name: 'bool', bytes: 1 },
    isOfCall: false,
    less: null,
  };
}
