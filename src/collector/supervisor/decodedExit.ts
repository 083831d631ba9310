import { constants } from 'node:os';
import type { ExitStatus } from '../../model/outputRecord.ts';
import { unknownStatus } from '../../protocol/supervisor.ts';

/** Reversed, so that the first of two names of one number is kept: SIGABRT, not SIGIOT. */
const signalNames = new Map<number, string>(
  Object.entries(constants.signals)
    .map(([name, number]): [number, string] => [number, name])
    .toReversed(),
);

/** `SIGTERM` for 15; real-time signals and unknown ones as `SIG34`. */
export function signalName(number: number): string {
  return signalNames.get(number) ?? `SIG${number}`;
}

/** The number of `SIGTERM` or `SIG34`, or null. */
export function signalNumber(name: string): number | null {
  for (const [known, number] of Object.entries(constants.signals))
    if (known === name) return number;
  const plain = /^SIG(\d{1,2})$/.exec(name);
  return plain ? Number(plain[1]) : null;
}

/** Reads a wait status (wait(2)): low 7 bits signal, bit 7 core flag, next 8 bits exit code. */
export function exitStatus(status: number): ExitStatus {
  if (status === unknownStatus) return { kind: 'unknown' };
  const signal = status & 0x7f;
  if (signal === 0) return { kind: 'exited', code: (status >> 8) & 0xff };
  return {
    kind: 'signalled',
    signal: signalName(signal),
    number: signal,
    coreDumped: (status & 0x80) !== 0,
  };
}
