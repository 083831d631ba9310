import type { DefinitionsState } from '../../collector/rings/sessionDefinitions.ts';
import type { TracedThread } from '../../model/eventColumns.ts';
import type { LifeRecord } from './indexMessages.ts';
import type { RingsState } from './sessionRings.ts';

/** How far an index worker has read what it reads. */
export interface Sources {
  /** Offset in the output log. */
  readonly log: number;
  readonly pid: number;
  readonly ended: boolean;
  readonly lastOutput: number;
  readonly nextKey: number;
  readonly anchors: readonly (readonly [tsc: string, monotonicNs: string])[];
  readonly rings: RingsState;
  readonly definitions: readonly DefinitionsState[];
  readonly outputs?: readonly { readonly path: string; readonly position: number }[];
  readonly left: readonly (readonly [string, { readonly key: number; readonly ring: string }])[];
  readonly threads: readonly (TracedThread & { readonly identity: string })[];
}

/** Both were written by `Drain`, and a store of another layout is refused when it is opened. */
export function ownSources(json: string): Sources {
  // oxlint-disable-next-line typescript/no-unsafe-return
  return JSON.parse(json);
}

export function ownRecord(json: string): LifeRecord {
  // oxlint-disable-next-line typescript/no-unsafe-return
  return JSON.parse(json);
}
