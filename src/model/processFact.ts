import { describeExit } from './endings/exitText.ts';
import type { SessionNs } from './ids.ts';
import type { ExitStatus, SeenProgram } from './outputRecord.ts';

/** What happened to a process. */
export type ProcessFact =
  | (SeenProgram & { readonly kind: 'exec' | 'forked' })
  | { readonly kind: 'started' | 'gone'; readonly time: SessionNs; readonly pid: number }
  | {
      readonly kind: 'exited';
      readonly time: SessionNs;
      readonly pid: number;
      readonly exit: ExitStatus;
    }
  /** Told by the records of its calls. */
  | {
      readonly kind: 'forkRecords';
      readonly time: SessionNs;
      readonly pid: number;
      readonly parent: number;
    };

/** Characters of a command line. */
const MAX_COMMAND = 300;

/** `exec: gcc -c main.c (/usr/bin/gcc, child of 4711)`, `exited with code 1`. */
export function processText(fact: ProcessFact): string {
  switch (fact.kind) {
    case 'started':
      return 'started';
    case 'gone':
      return 'ended; its status was not seen';
    case 'exited':
      return describeExit(fact.exit);
    case 'forkRecords':
      return `forked by ${fact.parent}`;
    case 'exec':
    case 'forked': {
      const command = fact.argv.join(' ');
      const shown = command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND)}…` : command;
      const how = fact.kind === 'exec' ? 'exec' : 'forked, no exec seen';
      return `${how}: ${shown} (${fact.path}, child of ${fact.parent})`;
    }
  }
}
