import type { AgentLinks } from '../frida/agentLinks.ts';

/** What the Python tracers of a daemon share. */
export interface PythonParts {
  /** It comes into a process by the agent that is there. */
  readonly agents: AgentLinks;
  /** native/python, built. */
  readonly libraryPath: string;
  readonly enginePath: string;
}
