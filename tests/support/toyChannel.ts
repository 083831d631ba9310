import { writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Channel } from '../../src/collector/channels/channel.ts';
import type { KeptEvent } from '../../src/model/channels/keptEvent.ts';

/** A program that answers each line of the pipe "in" with a line of the file "out". */
export const mailProgram =
  'mkfifo in; exec 3<>in; echo ready; while read -r line <&3; do echo "got $line" >> out; done';

/** The channel of such a program: what is sent is a letter to it, what it answers is kept. */
export function toyChannel(): Channel {
  const seen: KeptEvent[] = [];
  return {
    name: 'mail',
    state: ({ state }) =>
      state.kind === 'running'
        ? { kind: 'open', text: 'send leaves a letter' }
        : { kind: 'unavailable', text: 'the program does not run', next: null },
    input: {
      takesAddress: false,
      async send({ bytes }, { view }) {
        await writeFile(join(view.cwd, 'in'), `${Buffer.from(bytes).toString()}\n`);
        return { text: 'left as a letter', reply: null };
      },
    },
    output: {
      kind: 'kept',
      events({ view }) {
        const lines = linesOf(join(view.cwd, 'out')).slice(seen.length);
        for (const text of lines) seen.push({ time: view.now, direction: 'out', text });
        return Promise.resolve(seen);
      },
    },
  };
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    return []; // Nothing was answered yet.
  }
}
