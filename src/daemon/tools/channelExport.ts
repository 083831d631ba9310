import { monotonicMs } from '../../base/clock.ts';
import type { DebugChannelInput } from '../../protocol/tools/debugChannel.ts';
import { WrittenFile } from '../export/writtenFile.ts';
import { writePlaces } from '../export/writePlaces.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import { renderExported } from '../report/session/channelAnswers.ts';
import type { RequestContext } from '../request.ts';
import type { Sessions } from '../session/sessions.ts';

type Query = Extract<DebugChannelInput, { action: 'query' }>;

/** As an earlier export begins, which is replaced. */
const BEGINS = /^\{"channel":"/;
const PAGE = 500;
const PAGE_BUDGET = 50_000;
/** Below what clients wait for; the answer then says how to continue. */
const MOST_MS = 40_000;

/** Writes all that fits a query to a file, an event per line, by asking for one page after the other. */
export async function exportChannel(
  parts: { readonly sessions: Sessions; readonly home: string; readonly answerBudget: number },
  input: Query & { readonly path: string },
  context: RequestContext,
  ask: (page: Query) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const { path, budget, limit: _limit, cursor: first, ...asked } = input;
  const { session } = parts.sessions.resolve(input.sessionId, context.client);
  const view = session.view(context.client);
  const file = WrittenFile.at(
    path,
    writePlaces(parts.home, view.projectRoot, context.client),
    BEGINS,
  );
  const lines: string[] = [];
  const began = monotonicMs();
  let page: Page = { events: [], cursor: first ?? null, notes: [] };
  try {
    do {
      const from = page.cursor === null ? {} : { cursor: page.cursor };
      const { structured } = await ask({ ...asked, ...from, limit: PAGE, budget: PAGE_BUDGET });
      page = pageOf(structured);
      for (const event of page.events)
        lines.push(`${JSON.stringify({ channel: asked.channel, ...event })}\n`);
      context.progress(`exported ${lines.length} events`);
    } while (page.cursor !== null && monotonicMs() - began < MOST_MS);
    await file.fill(lines.join(''), 'export');
  } finally {
    file.discard();
  }
  const about = { channel: asked.channel, path: file.path, request: asked };
  const { cursor, notes } = page;
  return renderExported(
    view,
    about,
    { count: lines.length, cursor, notes },
    budget ?? parts.answerBudget,
  );
}

interface Page {
  readonly events: readonly object[];
  readonly cursor: string | null;
  readonly notes: readonly string[];
}

function pageOf(structured: object): Page {
  const events: unknown = 'events' in structured ? structured.events : [];
  const notes: unknown = 'notes' in structured ? structured.notes : [];
  const cursor: unknown = 'cursor' in structured ? structured.cursor : null;
  return {
    events: Array.isArray(events) ? events.filter((one) => typeof one === 'object') : [],
    notes: Array.isArray(notes) ? notes.map(String) : [],
    cursor: typeof cursor === 'string' ? cursor : null,
  };
}
