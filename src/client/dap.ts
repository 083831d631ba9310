import type { Readable, Writable } from 'node:stream';
import { DapFrames, framed } from '../base/dap/dapFrames.ts';
import { inTerminalWords } from './commandText.ts';
import type { FoundDaemon } from './daemonStart.ts';
import type { CliCommand } from './manifestTypes.ts';
import { member, textMember } from './messages.ts';

/** As protocol/socket `socketMethods.dap`. */
const method = 'strobe/dap';

/** A daemon's connection closes before its end can be waited for. */
const deathMs = 1000;

/** What the bridge works with. */
export interface DapOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** How tools that our sentences name are written for people. */
  readonly commands: readonly CliCommand[];
  /** Finds the daemon, starting it when there is none. */
  readonly connect: () => Promise<FoundDaemon>;
}

/**
 * `strobe dap`: passes the Debug Adapter Protocol between an editor on two streams and the daemon. Resolves with the
 * exit status when the editor has gone, or the daemon.
 */
export async function runDap({ input, output, commands, connect }: DapOptions): Promise<number> {
  const { link, death } = await connect();
  const frames = new DapFrames();
  const write = (message: object): boolean => output.write(framed(message));
  link.onMessage = (message) => {
    const sent = message.method === method ? message.params : undefined;
    if (typeof sent !== 'object' || sent === null || write(inEditorWords(sent, commands))) return;
    link.pause();
    output.once('drain', () => link.resume());
  };
  return await new Promise<number>((resolve) => {
    link.onClose = () => {
      void daemonGone(link.isEnding, death).then((why) => {
        write(event('output', { category: 'important', output: `strobe: ${why}\n` }));
        write(event('terminated', {}));
        resolve(1);
      });
    };
    const leave = (): void => {
      link.onClose = () => resolve(0);
      link.close();
    };
    input.on('data', (chunk: Buffer) => {
      for (const { message, refused } of frames.push(chunk)) {
        if (refused === null) link.send({ jsonrpc: '2.0', method, params: message });
        else write(event('output', { category: 'important', output: `strobe: ${refused}\n` }));
      }
    });
    input.resume();
    for (const name of ['end', 'close', 'error']) input.once(name, leave);
    for (const name of ['close', 'error']) output.once(name, leave);
    if (!link.isOpen) link.onClose();
  });
}

/** Our own sentences: of refusals and of breakpoints. What the program says is never changed. */
function inEditorWords(message: object, commands: readonly CliCommand[]): object {
  const isOurs = member(message, 'success') === false || isOfBreakpoints(message);
  return isOurs ? membersInWords(message, commands) : message;
}

function membersInWords(message: object, commands: readonly CliCommand[]): object {
  const words = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(words);
    return typeof value === 'object' && value !== null ? membersInWords(value, commands) : value;
  };
  const members: Record<string, unknown> = { ...message };
  for (const [name, one] of Object.entries(members))
    members[name] =
      sentences.has(name) && typeof one === 'string' ? inTerminalWords(one, commands) : words(one);
  return members;
}

const sentences = new Set(['message', 'format']);

function isOfBreakpoints(message: object): boolean {
  const command = textMember(message, 'command');
  return textMember(message, 'event') === 'breakpoint' || command.endsWith('Breakpoints');
}

async function daemonGone(isEnding: boolean, death: FoundDaemon['death']): Promise<string> {
  if (isEnding) return 'The daemon was ended; programs follow what their sessions say.';
  const late = new Promise<null>((resolve) => setTimeout(resolve, deathMs, null));
  const how = await Promise.race([death, late]);
  const manner = how === null ? '' : ` (${how})`;
  return `The daemon ended${manner}. Programs that are kept run on: join their sessions.`;
}

function event(name: string, body: object): object {
  return { seq: 0, type: 'event', event: name, body };
}
