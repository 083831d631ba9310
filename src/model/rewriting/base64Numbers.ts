const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const ASCII = 128;
/** By code; STRANGE: it is no digit. */
const STRANGE = 64;
const values = new Uint8Array(ASCII).fill(STRANGE);
for (let value = 0; value < digits.length; value++) values[digits.charCodeAt(value)] = value;

/** The numbers of a segment of a source map: five bits a digit, the lowest first; the first bit is the sign. */
export function decodeNumbers(text: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const digit = values[text.charCodeAt(at)] ?? STRANGE;
    if (digit === STRANGE) throw new SyntaxError('a mapping holds a strange character');
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    const magnitude = Math.floor(value / 2);
    numbers.push(value % 2 === 1 ? -magnitude : magnitude);
    [value, shift] = [0, 0];
  }
  return numbers;
}

export function encodeNumbers(numbers: readonly number[]): string {
  return numbers.map(encode).join('');
}

function encode(number: number): string {
  let rest = number < 0 ? -number * 2 + 1 : number * 2;
  let text = '';
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += digits.charAt(rest > 0 ? digit + 32 : digit);
  } while (rest > 0);
  return text;
}
