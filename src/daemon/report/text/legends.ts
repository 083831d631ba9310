import type { SessionView } from '../../../model/session.ts';

/** What the signs in answers mean. Each is explained to a client once per session. */
export const legends = {
  siblings: '×n = n alike siblings, … = not shown (unfold with root: an id)',
  receiver: '"this" only where it changes',
  repeated: '#1 = the value written as "#1 …"; #1{x=2} = the same object with another x',
} as const;

export type Legend = keyof typeof legends;

/** Of these legends those that the client has not read in an answer about the session. */
export function unread({ known }: Pick<SessionView, 'known'>, wanted: readonly Legend[]): string[] {
  return wanted.map((name) => legends[name]).filter((text) => known?.legends.has(text) !== true);
}

/** The legends that an answer holds. */
export function legendsIn(text: string): string[] {
  return Object.values(legends).filter((legend) => text.includes(legend));
}
