import { itemTag } from '../../../../model/values/dynamicValue.ts';
import { room8 } from '../addon.ts';
import { charCode } from '../intrinsics.ts';

/** Where the next byte of a value goes, and where none does. */
export let at = 0;
let end = 0;
let isFull = false;

export function beginBytes(from: number, to: number): void {
  at = from;
  end = to;
  isFull = false;
}

/** Fills up the last word; answers where the value ends. */
export function endBytes(): number {
  for (let i = 0; i < 8; i++) room8[at + i] = 0;
  return at;
}

export function bytesLeft(): number {
  return end - at;
}

export function hasRoom(bytes: number): boolean {
  if (at + bytes <= end) return true;
  isFull = true;
  return false;
}

export function hasNoRoom(): boolean {
  return isFull;
}

export function putByte(value: number): void {
  room8[at++] = value;
}

export function putTag(value: number): void {
  if (hasRoom(1)) putByte(value);
}

export function putLength(value: number): void {
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) putByte((left % 128) | 128);
  putByte(left);
}

export function putHalf(value: number): void {
  putByte(value);
  putByte(value >>> 8);
  putByte(value >>> 16);
  putByte(value >>> 24);
}

export function putText(value: string, most: number): void {
  const length = value.length;
  if (at + 14 > end) {
    isFull = true;
    return;
  }
  let held = length < most ? length : most;
  let wide = false;
  for (let i = 0; i < held; i++)
    if (charCode(value, i) > 255) {
      wide = true;
      break;
    }
  const room = Math.floor((end - at - 12) / (wide ? 2 : 1));
  if (held > room) held = room;
  putByte(wide ? itemTag.text2 : itemTag.text1);
  putLength(length);
  putLength(held);
  if (wide)
    for (let i = 0; i < held; i++) {
      const unit = charCode(value, i);
      putByte(unit);
      putByte(unit >>> 8);
    }
  else for (let i = 0; i < held; i++) putByte(charCode(value, i));
}

/** Begins an item that holds others; answers where its size goes, 0: there is no room. */
export function openItem(kind: number): number {
  if (!hasRoom(16)) return 0;
  putByte(kind);
  at += 2;
  return at - 2;
}

export function closeItem(begin: number): void {
  const size = at - begin - 2;
  room8[begin] = size;
  room8[begin + 1] = size >>> 8;
}
