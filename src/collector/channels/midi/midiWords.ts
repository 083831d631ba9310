import { StrobeError } from '../../../model/errors.ts';

/*
 * MIDI 1.0 messages in words, one a line or between semicolons; note A4 is 69, the number may be written for it:
 *
 *   note on A4 100      note off A4      cc 7 127      program 5      pitch bend 8192      pressure 64
 *   note on A4 100 channel 10            f0 7e 7f 09 01 f7
 */

const STATUS = 0x80;
const EXCLUSIVE = 0xf0;
const END_OF_EXCLUSIVE = 0xf7;
const mostShown = 32;
const notes = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B'];
const usualVelocity = 100;

/** By the upper half of the status byte. */
const kinds = {
  0x80: 'note off',
  0x90: 'note on',
  0xa0: 'note pressure',
  0xb0: 'cc',
  0xc0: 'program',
  0xd0: 'pressure',
  0xe0: 'pitch bend',
} as const;

/** Of system messages. */
const systemKinds: Readonly<Record<number, string>> = {
  0xf8: 'clock',
  0xfa: 'start',
  0xfb: 'continue',
  0xfc: 'stop',
  0xfe: 'active sensing',
  0xff: 'reset',
};

function isKind(value: number): value is keyof typeof kinds {
  return value in kinds;
}

/** Bytes of the message that begins with this status; null: up to its end. */
function lengthOf(status: number): number | null {
  if (status === EXCLUSIVE) return null;
  const kind = status & 0xf0;
  if (kind === 0xc0 || kind === 0xd0 || status === 0xf1 || status === 0xf3) return 2;
  return kind < 0xf0 || status === 0xf2 ? 3 : 1;
}

/** One message as events show it. */
export function messageText(message: Uint8Array): string {
  const [status = 0, first = 0, second = 0] = message;
  const kind = status & 0xf0;
  const system = systemKinds[status];
  if (system !== undefined) return system;
  if (!isKind(kind)) return inHexadecimal(message);
  const on = ` channel ${(status & 0xf) + 1}`;
  switch (kinds[kind]) {
    case 'note on':
      // By the standard a note off.
      return second === 0
        ? `note off ${noteName(first)}${on}`
        : `note on ${noteName(first)} ${second}${on}`;
    case 'note off':
      return `note off ${noteName(first)}${on}`;
    case 'note pressure':
      return `note pressure ${noteName(first)} ${second}${on}`;
    case 'cc':
      return `cc ${first} ${second}${on}`;
    case 'pitch bend':
      return `pitch bend ${first + 128 * second}${on}`;
    default:
      return `${kinds[kind]} ${first}${on}`;
  }
}

function inHexadecimal(message: Uint8Array): string {
  const shown = [...message.subarray(0, mostShown)].map((byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  const more = message.length > mostShown ? ` … ${message.length} bytes` : '';
  return `${shown.join(' ')}${more}`;
}

function noteName(number: number): string {
  return `${notes[number % 12]}${Math.floor(number / 12) - 1}`;
}

/** What is sent, as whole messages: these themselves, or words. Throws BAD_PARAMETER. */
export function messagesIn(given: Buffer): Buffer {
  if ((given[0] ?? 0) >= STATUS) return whole(given);
  const lines = given
    .toString('utf8')
    .split(/[;\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) throw notRead('There is no message.');
  return Buffer.concat(lines.map(messageOf));
}

function whole(bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length;) {
    const status = bytes[at] ?? 0;
    if (status < STATUS) throw notRead(`Byte ${at} begins no message.`);
    const length = lengthOf(status) ?? bytes.indexOf(END_OF_EXCLUSIVE, at) + 1 - at;
    if (length <= 0 || at + length > bytes.length)
      throw notRead(`The message at byte ${at} is not whole.`);
    const data = bytes.subarray(at + 1, at + length - (status === EXCLUSIVE ? 1 : 0));
    if (data.some((byte) => byte >= STATUS)) throw notRead(`The message at byte ${at} is cut.`);
    at += length;
  }
  return bytes;
}

function messageOf(line: string): Buffer {
  if (/^[89a-f][0-9a-f](?: [0-9a-f]{2})*$/i.test(line))
    return whole(Buffer.from(line.replaceAll(' ', ''), 'hex'));
  const [, words = '', channel = '1'] = /^(.*?)(?: channel (\d+))?$/.exec(line) ?? [];
  const [, name = '', rest = ''] =
    /^(note on|note off|note pressure|cc|program|pressure|pitch bend)((?: \S+)*)$/.exec(words) ??
    [];
  const kind = Object.entries(kinds).find(([, one]) => one === name)?.[0];
  if (kind === undefined) throw notRead(`"${line}" is no message.`);
  const status = Number(kind) + inRange(channel, 1, 16, line) - 1;
  const [first, second, ...more] = rest.split(' ').slice(1);
  if (first === undefined || more.length > 0) throw notRead(`"${line}" is no message.`);
  const value = (text: string): number => inRange(text, 0, 127, line);
  switch (name) {
    case 'note on':
      return Buffer.from([status, noteOf(first, line), second ? value(second) : usualVelocity]);
    case 'note off':
      return Buffer.from([status, noteOf(first, line), second ? value(second) : 0]);
    case 'note pressure':
      return Buffer.from([status, noteOf(first, line), value(second ?? '')]);
    case 'cc':
      return Buffer.from([status, value(first), value(second ?? '')]);
    case 'pitch bend': {
      const bend = inRange(first, 0, 16_383, line);
      return Buffer.from([status, bend % 128, Math.floor(bend / 128)]);
    }
    default:
      return Buffer.from([status, value(first)]);
  }
}

/** "A4", "C#3" or a number. */
function noteOf(text: string, line: string): number {
  const [, name = '', octave = ''] = /^([A-G]#?)(-?\d)$/i.exec(text) ?? [];
  const at = notes.indexOf(name.toUpperCase());
  return inRange(at < 0 ? text : String(at + 12 * (Number(octave) + 1)), 0, 127, line);
}

function inRange(text: string, least: number, most: number, line: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : -1;
  if (number >= least && number <= most) return number;
  throw notRead(
    `"${line}": ${text === '' ? 'a number is missing' : `"${text}" is not ${least} to ${most}`}.`,
  );
}

function notRead(why: string): StrobeError {
  return new StrobeError(
    'BAD_PARAMETER',
    `Channel midi sends messages of MIDI: ${why}`,
    'Write "note on A4 100", "note off A4", "cc 7 127", "program 5", "pitch bend 8192" or the bytes in hexadecimal ("90 45 64"), with " channel 10" behind for another than 1; several between semicolons.',
  );
}
