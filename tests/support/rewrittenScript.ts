import { createContext, Script, type Context } from 'node:vm';
import { applyInserts } from '../../src/model/rewriting/applyInserts.ts';
import type { RewrittenModule } from '../../src/model/rewriting/rewrittenModule.ts';
import { rewriteModule, type ModuleText } from '../../src/symbols/javascript/rewriteModule.ts';
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
