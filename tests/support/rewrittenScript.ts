import { createContext, Script, type Context } from 'node:vm';
import { applyInserts } from '../../src/model/rewriting/applyInserts.ts';
import type { RewrittenModule } from '../../src/model/rewriting/rewrittenModule.ts';
import { rewriteModule, type ModuleText } from '../../src/symbols/javascript/rewriteModule.ts';
import { statementsOf } from '../../src/symbols/javascript/statementsOf.ts';
import { RecordingHooks } from './recordingHooks.ts';

/** Throws where a module is left alone. */
export function rewritten(text: string, more: Partial<ModuleText> = {}): RewrittenModule {
  const outcome = rewriteModule({ text, file: '/t/case.js', format: 'commonjs', ...more });
  if ('refusal' in outcome) throw new Error(outcome.refusal);
  return outcome;
}

/** What a text prints when it is run in a realm of its own, to the last of its promises. */
export async function printed(text: string): Promise<string[]> {
  const { lines, context } = realm();
  await settle(run(text, context), lines);
  return lines;
}

/** The same of the rewritten text, with what it told. */
export async function traced(
  text: string,
): Promise<{ readonly lines: string[]; readonly hooks: RecordingHooks }> {
  const { functions, inserts } = rewritten(text);
  const hooks = new RecordingHooks(functions);
  const { lines, context } = realm();
  context['$strobe'] = () => hooks;
  await settle(run(applyInserts(text, inserts, '1'), context), lines);
  return { lines, hooks };
}

/** What the rewritten text prints where a breakpoint that reads its variables is at each statement, and which of them ran. */
export async function probed(text: string): Promise<{
  readonly lines: string[];
  readonly ran: ReadonlySet<number>;
  readonly written: number;
}> {
  const probes = statementsOf(text, '/t/case.js').map(({ offset, isResult, locals, globals }) => ({
    offset,
    isResult,
    names: [...locals, ...globals, 'this', null],
  }));
  const { functions, inserts, isWritten } = rewritten(text, { probes });
  const hooks = new RecordingHooks(functions);
  const ran = new Set<number>();
  const probe = (index: number, read: (name: number) => unknown): void => {
    ran.add(index);
    for (const [i] of probes[index]?.names.entries() ?? []) valueOr(read, i);
  };
  const written = { probes: new Uint8Array(probes.length).fill(1), probe };
  const { lines, context } = realm();
  context['$strobe'] = () => Object.assign(hooks, written);
  await settle(run(applyInserts(text, inserts, '1'), context), lines);
  return { lines, ran, written: isWritten.filter(Boolean).length };
}

function valueOr(read: (name: number) => unknown, name: number): unknown {
  try {
    return read(name);
  } catch {
    return null; // It has no value yet.
  }
}

function realm(): { readonly lines: string[]; readonly context: Context } {
  const lines: string[] = [];
  const print = (...values: unknown[]) => lines.push(values.map(String).join(' '));
  return { lines, context: createContext({ print, setImmediate }) };
}

/** As Node runs a CommonJS module: in a function, whose last line may be a promise to wait for. */
function run(text: string, context: Context): () => unknown {
  const script = new Script(`(function(exports,module){${text}\n})`, { filename: 'case.js' });
  return () => {
    const body: unknown = script.runInContext(context);
    if (typeof body !== 'function') return undefined;
    const end: unknown = Reflect.apply(body, {}, [{}, { exports: {} }]);
    return end;
  };
}

async function settle(start: () => unknown, lines: string[]): Promise<void> {
  try {
    await start();
  } catch (error) {
    lines.push(`uncaught ${String(error)}`);
  }
}
