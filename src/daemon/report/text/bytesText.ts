import { hexPairs, isPlainText } from '../../../model/decoding/binaryValues.ts';
import type { Binary, Value } from '../../../model/questions/query.ts';
import { counted } from './groupedNumber.ts';

type List = Extract<Value, { kind: 'list' }>;

/** Bytes that are shown. */
const bytesShown = { usual: 16, verbose: 64 } as const;
/** A list of more bytes than these is shown as data, not as numbers. */
const mostNumbers = 8;

/** `<binary 1,024 bytes: 89 50 4e 47 …(+1,020)>`. */
export function binaryText(binary: Binary, isVerbose: boolean): string {
  const { hex, total, isUntilNul } = binary;
  const captured = hex.length / 2;
  const shown = Math.min(captured, isVerbose ? bytesShown.verbose : bytesShown.usual);
  const size =
    total === null ? `, more than ${counted(captured, 'byte')}` : ` ${counted(total, 'byte')}`;
  const left = (total ?? captured) - shown;
  const rest = total === null ? ' …' : left > 0 ? ` …(+${left})` : '';
  const pairs = hexPairs({ hex: hex.slice(0, shown * 2) });
  return `<binary${size}${isUntilNul ? ' before a NUL' : ''}: ${pairs}${rest}>`;
}

/** The bytes of a list that are too many to be shown as numbers; null of others. */
export function manyBytes({ items, total, ofBytes }: List): Binary | null {
  if (!ofBytes || items.length <= mostNumbers) return null;
  return { hex: Buffer.from(items.map(byteOf)).toString('hex'), total };
}

function byteOf(item: Value): number {
  return item.kind === 'char'
    ? item.code
    : item.kind === 'int' || item.kind === 'enum'
      ? Number(item.text)
      : 0;
}

/** The text such bytes are, if nothing but text; null of others. */
export function textIn({ hex, total }: Binary): string | null {
  const text = bufferOf(hex).toString('utf8');
  // The last character of what was captured may not be whole.
  const whole = total !== null && total * 2 > hex.length ? text.replace(/\ufffd$/, '') : text;
  return isPlainText(whole) ? whole : null;
}

/** The summary; with `verbose` also the bytes themselves. */
export function binaryJson(summary: string, { hex }: Binary, isVerbose: boolean): unknown {
  return isVerbose ? { summary, base64: bufferOf(hex).toString('base64') } : summary;
}

function bufferOf(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}
