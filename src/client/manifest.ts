import raw from './manifest.json' with { type: 'json' };
import type { Manifest } from './manifestTypes.ts';

/** What the client knows without asking the daemon. */
export const manifest: Manifest = asGenerated(raw);

/** The file is generated from the same contracts and part of this program: nothing to check. */
function asGenerated(value: object): Manifest {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion
  return value as Manifest;
}
