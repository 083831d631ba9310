import type { RewriteRequest } from '../../protocol/nodeTracer.ts';
import type { AgentLinks } from '../frida/agentLinks.ts';
import type { StatementFinder } from '../source/sourceProbes.ts';

/** What the Node tracers of a daemon share. */
export interface NodeParts extends StatementFinder {
  /** It comes into a process by the agent that is there. */
  readonly agents: AgentLinks;
  /** native/node, built. */
  readonly libraryPath: string;
  readonly preloadPath: string;
  /** What brings it in where a process comes in by itself. */
  readonly startPath: string;
  readonly enginePath: string;
  /** Where processes ask for modules to be rewritten. */
  readonly socketPath: string;
  /** Where processes come in by themselves. */
  readonly linkPath: string;
  /** JSON of a `RewriteAnswer`, or of a `PlacesAnswer`. */
  readonly rewrite: (request: RewriteRequest) => Promise<string>;
}
