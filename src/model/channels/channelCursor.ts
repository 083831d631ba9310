import { StrobeError } from '../errors.ts';
import type { ChannelQuery } from './channelEvent.ts';

/** Where a page of a channel begins, and the end of the picture that it continues. */
type Position = Pick<ChannelQuery, 'part' | 'from' | 'until'>;

export function channelCursor({ part, from, until }: Position): string {
  return part === 0 ? `ch${from}@${until}` : `ch${from}+${part}@${until}`;
}

/** Throws BAD_CURSOR for any other text than `channelCursor` made. */
export function parseChannelCursor(text: string): Position {
  const [, from, part = 0, until] = /^ch(\d{1,9})(?:\+(\d{1,16}))?@(\d{1,16})$/.exec(text) ?? [];
  if (from === undefined)
    throw new StrobeError('BAD_CURSOR', `"${text}" is not a cursor of this query.`);
  return { from: Number(from), part: Number(part), until: Number(until) };
}
