import { dateTime, isoDate, regExpFlags, regExpSource, urlText } from '../intrinsics.ts';

/* Texts of what has no members of its own to show; no code of the program runs. */

export function dateText(value: Date): string {
  return Number.isNaN(dateTime(value)) ? 'Invalid Date' : isoDate(value);
}

export function regExpText(value: RegExp): string {
  return `/${regExpSource(value)}/${regExpFlags(value)}`;
}

export function urlOf(value: object): string | null {
  try {
    return urlText(value as URL);
  } catch {
    return null; // Its class only has that name.
  }
}
