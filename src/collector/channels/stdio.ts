import type { Channel } from './channel.ts';

/** What the program reads from stdin, or its terminal, and writes to stdout and stderr. */
export const stdio: Channel = {
  name: 'stdio',
  state({ stdin, outputPassesBy, attached }) {
    if (outputPassesBy)
      return {
        kind: 'unavailable',
        text: 'its input and output go past Strobe',
        next: 'Start the program with debug_launch to record them.',
      };
    const input =
      attached || stdin === 'closed'
        ? 'stdin is not open to send to'
        : stdin === 'terminal'
          ? 'send types into its terminal'
          : 'send writes to its stdin';
    return { kind: 'open', text: `output is recorded; ${input}` };
  },
  output: { kind: 'recorded', view: 'output' },
  input: {
    takesAddress: false,
    async send({ bytes, eof }, target) {
      await target.write(bytes, eof);
      const where = target.view.stdin === 'terminal' ? 'its terminal' : 'stdin';
      return { text: `written to ${where}${eof ? ', which is closed now' : ''}`, reply: null };
    },
  },
};
