import type { AdapterSettings } from '../debug/adapters/chosenAdapter.ts';
import type { AgentLinks } from '../frida/agentLinks.ts';
import type { StatementFinder } from '../source/sourceProbes.ts';

/** What the Python tracers of a daemon share. */
export interface PythonParts extends StatementFinder {
  /** It comes into a process by the agent that is there. */
  readonly agents: AgentLinks;
  /** native/python, built. */
  readonly libraryPath: string;
  readonly enginePath: string;
  /** Debuggers of others. */
  readonly adapters: AdapterSettings;
  warn(message: string, detail: { readonly error: string }): void;
  /** The socket at which threads that stand still ask what to do. */
  readonly stopsPath: string;
}
