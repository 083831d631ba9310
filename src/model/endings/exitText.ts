import type { ExitStatus } from '../outputRecord.ts';

/** `exited with code 1`, `was killed by SIGSEGV (core dumped)`. */
export function describeExit(exit: ExitStatus): string {
  if (exit.kind === 'exited') return `exited with code ${exit.code}`;
  if (exit.kind === 'unknown') return 'ended with an unknown status';
  return `was killed by ${exit.signal}${exit.coreDumped ? ' (core dumped)' : ''}`;
}
