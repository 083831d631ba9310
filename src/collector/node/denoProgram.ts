import { commandOf } from '../../base/proc.ts';
import type { EnteredProcess } from '../program/entryFacts.ts';

/** Those that run no module in their own process. */
const others = new Set(
  'add cache check ci clean completions compile coverage doc fmt help info init install json_reference lint lsp outdated publish remove task types uninstall update upgrade vendor'.split(
    ' ',
  ),
);
const allowsAddons = /^(?:-[a-zA-Z]*[AP].*|--allow-all|--allow-ffi(?:=.*)?|--permission-set.*)$/;

const permission = 'to load the tracer: -A does, or --allow-ffi, --allow-env and --allow-read';

const ofTests =
  'debug_test starts tests with the permissions of the project\'s own test command: a task in deno.json ("test": "deno test -A"), or a script in package.json.';

/** Where the preload did not run it cannot say why. */
export const denoSilent = `JavaScript functions were not traced: Deno ran no module, or did not permit the program ${permission}.`;

/** Why functions of a Deno program cannot be traced, as a clause, and what to do; null: nothing speaks against it. */
export function whyUntracedDeno(
  process: EnteredProcess | null,
): { readonly why: string; readonly hint: string } | null {
  if (process === null) return null;
  const launch = 'Launch it with debug_launch.';
  if (!process.atExec) return { why: 'which is only entered as it starts', hint: launch };
  const [, ...words] = commandOf(process.pid);
  const script = words.indexOf('--');
  const own = script < 0 ? words : words.slice(0, script);
  if (others.has(own[0] ?? '') || own.some((word) => allowsAddons.test(word))) return null;
  return {
    why: `which does not permit it ${permission}`,
    hint: own[0] === 'test' ? ofTests : 'Start it with one of these.',
  };
}
