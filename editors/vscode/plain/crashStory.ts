import { listMember, textMember } from '../../../src/client/messages.ts';
import { sourcePlace, type SourcePlace } from './sourcePlace.ts';
import type { SessionRow } from './sessionRows.ts';
import type { StrobeServer } from './strobeServer.ts';

/** A part of a line: text, or a place in the sources. */
export interface StoryPart {
  readonly text: string;
  readonly place: SourcePlace | null;
}

export interface StorySection {
  readonly title: string;
  readonly lines: readonly (readonly StoryPart[])[];
}

const budget = 20_000;

/** Why a program died, in sections, with the places that the lines name. */
export async function crashStory(
  server: StrobeServer,
  session: SessionRow,
): Promise<StorySection[]> {
  const asked = { view: 'crash', sessionId: session.id, budget };
  const { body, text } = await server.call('debug_query', asked);
  const story = listMember(body, 'story');
  if (story.length === 0)
    return [
      { title: session.program, lines: text.split('\n').map((line) => partsOf(line, session)) },
    ];
  return story.map((section) => ({
    title: textMember(section, 'title'),
    lines: listMember(section, 'lines').map((line) => partsOf(String(line), session)),
  }));
}

/** Cuts a line at what looks like `src/a.c:12`. */
export function partsOf(
  line: string,
  { projectRoot }: { readonly projectRoot: string },
): StoryPart[] {
  const parts: StoryPart[] = [];
  let end = 0;
  for (const match of line.matchAll(/[\w./+-]*\w\.\w+:\d+/g)) {
    if (match.index > end) parts.push({ text: line.slice(end, match.index), place: null });
    parts.push({ text: match[0], place: sourcePlace(match[0], projectRoot) });
    end = match.index + match[0].length;
  }
  if (end < line.length) parts.push({ text: line.slice(end), place: null });
  return parts;
}
