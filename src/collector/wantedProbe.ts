import type { Pattern } from '../model/names/pattern.ts';
import type { ProbeRequest } from '../model/probes/probe.ts';
import type { Expression } from '../model/watches/expression.ts';

/** A breakpoint that was read, once, where its request entered. */
export interface WantedProbe {
  readonly id: string;
  readonly request: ProbeRequest;
  readonly pattern: Pattern | null;
  readonly condition: Expression | null;
  /** What always holds there; each change to where it does not is a hit. */
  readonly invariant: Expression | null;
  readonly values: readonly { readonly text: string; readonly expression: Expression }[];
}
