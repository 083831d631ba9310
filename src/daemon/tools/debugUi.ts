import type { SessionNs } from '../../model/ids.ts';
import type { UiOrder } from '../../model/ui/element.ts';
import { StrobeError } from '../../model/errors.ts';
import type { DebugUiInput } from '../../protocol/tools/debugUi.ts';
import { writePlaces } from '../export/writePlaces.ts';
import { WrittenFile } from '../export/writtenFile.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import {
  renderActed,
  renderElements,
  renderScreenshot,
  type Meanwhile,
} from '../report/session/uiAnswer.ts';
import { cancelledWith, type Queries } from '../queries.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Sessions } from '../session/sessions.ts';
import { queryTarget } from '../session/queryTarget.ts';
import { sessionEnded } from '../session/sessionFacts.ts';
import type { Displays } from '../ui/displays.ts';

type Asked<Action extends DebugUiInput['action']> = Extract<DebugUiInput, { action: Action }>;
type Act = Exclude<DebugUiInput, { action: 'tree' | 'screenshot' }>;

/** debug_ui: what a program shows in its windows, and what is done there. */
export function makeDebugUi(
  sessions: Sessions,
  displays: Displays,
  queries: Queries,
  { home, answerBudget }: { readonly home: string; readonly answerBudget: number },
): ToolHandler<DebugUiInput> {
  function fileOf(
    { facts: { directory, projectRoot } }: LiveSession,
    { path }: Asked<'screenshot'>,
    { client }: RequestContext,
  ): WrittenFile {
    return path === undefined
      ? WrittenFile.inFolder(directory, 'screenshot', 'png')
      : WrittenFile.at(path, writePlaces(home, projectRoot, client), PICTURE_BEGINS);
  }

  async function screenshot(
    session: LiveSession,
    input: Asked<'screenshot'>,
    context: RequestContext,
  ): Promise<ToolAnswer> {
    const picture = await displays.ask(
      session,
      'screenshot',
      { window: input.window ?? null, isAnnotated: input.annotate },
      context.signal,
    );
    const file = fileOf(session, input, context);
    await file.fill(picture.file, 'picture');
    const { path } = file;
    const view = session.view(context.client);
    return renderScreenshot({ view, picture, path, isShown: input.image });
  }

  return async (input, context) => {
    const session = sessions.resolveLive(input.sessionId, context.client);
    if (!session.isLive) throw sessionEnded(session);
    const view = session.view(context.client);
    switch (input.action) {
      case 'screenshot':
        return await screenshot(session, input, context);
      case 'tree': {
        const tree = await displays.ask(session, 'tree', null, context.signal);
        return renderElements({ view, tree, root: input.root }, input.budget ?? answerBudget);
      }
      default: {
        sessions.requireOwner(session, context.client, input.takeOver);
        const from = session.now();
        const acted = await displays.ask(session, 'act', orderOf(input), context.signal);
        if (acted.isClosed) await session.changes.until(() => !session.isLive, ENDS_MS);
        const ran = await meanwhile(queries, session, from, context);
        const left = session.view(context.client);
        return renderActed({ view: left, order: input, acted, from, meanwhile: ran }, answerBudget);
      }
    }
  };
}

/** Of PNG, a character for each byte (PNG 3rd edition §5.2). */
const PICTURE_BEGINS = /^\x89PNG\r\n/;
/** A program whose last window was closed may take so long to end. */
const ENDS_MS = 2000;
const MOST_LINES = 10;
const MOST_FUNCTIONS = 8;
const DEADLINE_MS = 2000;

/** What the program wrote and called since a moment of the session. */
async function meanwhile(
  queries: Queries,
  session: LiveSession,
  timeFrom: SessionNs,
  { client, signal }: RequestContext,
): Promise<Meanwhile> {
  const target = queryTarget({ kind: 'live', session }, client);
  const { until } = await target.settle(signal);
  const { storePath } = target;
  const asking = cancelledWith(queries, signal);
  const [output, calls] = await Promise.all([
    asking.ask('output', storePath, {
      stream: null,
      tail: null,
      match: null,
      pid: null,
      timeFrom,
      timeTo: null,
      limit: MOST_LINES,
      cursor: null,
      until,
    }),
    asking.ask('stats', storePath, {
      filter: { timeFrom },
      groupBy: 'function',
      sortBy: 'count',
      limit: MOST_FUNCTIONS,
      until,
      deadlineMs: DEADLINE_MS,
    }),
  ]);
  return {
    output: output.lines.map(({ text }) => text),
    moreOutput: output.total - output.lines.length,
    calls: calls.rows.map(({ key, count }) => ({ function: key, count })),
    moreFunctions: calls.groups - calls.rows.length,
  };
}

function orderOf(input: Act): UiOrder {
  switch (input.action) {
    case 'click':
      return { action: 'click', id: input.id, count: input.count };
    case 'setValue':
      return { action: 'setValue', id: input.id, value: input.value };
    case 'select':
      return { action: 'select', id: input.id, item: input.item };
    case 'scroll': {
      const { id, direction, amount } = input;
      return { action: 'scroll', id, direction, amount };
    }
    case 'drag':
      return { action: 'drag', id: input.id, to: dropOf(input) };
    case 'type':
      return { action: 'type', id: input.id ?? null, text: input.text };
    case 'key':
      return { action: 'key', id: input.id ?? null, key: input.key };
  }
}

function dropOf({ to, right, down }: Asked<'drag'>): string | { right: number; down: number } {
  if (to !== undefined) return to;
  if (right !== undefined || down !== undefined) return { right: right ?? 0, down: down ?? 0 };
  throw new StrobeError(
    'BAD_PARAMETER',
    'A drag needs "to", or "right" and "down".',
    'Say where it ends: {"to": "list1"} or {"right": 40}.',
  );
}
