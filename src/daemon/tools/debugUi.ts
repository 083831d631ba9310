import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { UiOrder } from '../../model/ui/element.ts';
import type { WindowPicture } from '../../model/ui/shownWindow.ts';
import { StrobeError } from '../../model/errors.ts';
import type { DebugUiInput } from '../../protocol/tools/debugUi.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import { renderActed, renderElements, renderScreenshot } from '../report/session/uiAnswer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Sessions } from '../session/sessions.ts';
import { sessionEnded } from '../session/sessionFacts.ts';
import type { Displays } from '../ui/displays.ts';

type Asked<Action extends DebugUiInput['action']> = Extract<DebugUiInput, { action: Action }>;
type Act = Exclude<DebugUiInput, { action: 'tree' | 'screenshot' }>;

/** debug_ui: what a program shows in its windows, and what is done there. */
export function makeDebugUi(
  sessions: Sessions,
  displays: Displays,
  answerBudget: number,
): ToolHandler<DebugUiInput> {
  /** Pictures of sessions that were not given a path, by session. */
  const counts = new Map<string, number>();

  function pathOf(
    session: LiveSession,
    input: Asked<'screenshot'>,
    { client }: RequestContext,
  ): string {
    if (input.path !== undefined) return resolve(client.cwd, input.path);
    const { id, directory } = session.facts;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return join(directory, `screenshot-${count}.png`);
  }

  async function screenshot(
    session: LiveSession,
    input: Asked<'screenshot'>,
    context: RequestContext,
  ): Promise<ToolAnswer> {
    const ui = await displays.of(session);
    const picture = await ui.ask('screenshot', { window: input.window ?? null }, context.signal);
    const path = pathOf(session, input, context);
    await write(path, picture);
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
        const tree = await (await displays.of(session)).ask('tree', null, context.signal);
        return renderElements({ view, tree, root: input.root }, input.budget ?? answerBudget);
      }
      default: {
        sessions.requireOwner(session, context.client, input.takeOver);
        const from = session.now();
        const ui = await displays.of(session);
        const acted = await ui.ask('act', orderOf(input), context.signal);
        return renderActed({ view, order: input, acted, from }, answerBudget);
      }
    }
  };
}

function orderOf(input: Act): UiOrder {
  switch (input.action) {
    case 'click':
      return { action: 'click', id: input.id, count: input.count };
    case 'setValue':
      return { action: 'setValue', id: input.id, value: input.value };
    case 'type':
      return { action: 'type', id: input.id ?? null, text: input.text };
    case 'key':
      return { action: 'key', id: input.id ?? null, key: input.key };
  }
}

async function write(path: string, { file }: WindowPicture): Promise<void> {
  try {
    await writeFile(path, file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StrobeError('EXPORT_FAILED', `The picture could not be written: ${why}.`);
  }
}
