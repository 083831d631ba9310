import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { WindowPicture } from '../../model/ui/shownWindow.ts';
import { StrobeError } from '../../model/errors.ts';
import type { DebugUiInput } from '../../protocol/tools/debugUi.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import { renderScreenshot } from '../report/session/uiAnswer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Sessions } from '../session/sessions.ts';
import { sessionEnded } from '../session/sessionFacts.ts';
import type { Displays } from '../ui/displays.ts';

type Screenshot = Extract<DebugUiInput, { action: 'screenshot' }>;

/** debug_ui: what a program shows in its windows. */
export function makeDebugUi(sessions: Sessions, displays: Displays): ToolHandler<DebugUiInput> {
  /** Pictures of sessions that were not given a path, by session. */
  const counts = new Map<string, number>();

  function pathOf(session: LiveSession, input: Screenshot, { client }: RequestContext): string {
    if (input.path !== undefined) return resolve(client.cwd, input.path);
    const { id, directory } = session.facts;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return join(directory, `screenshot-${count}.png`);
  }

  async function screenshot(input: Screenshot, context: RequestContext): Promise<ToolAnswer> {
    const session = sessions.resolveLive(input.sessionId, context.client);
    if (!session.isLive) throw sessionEnded(session);
    const ui = await displays.of(session);
    const picture = await ui.ask('screenshot', { window: input.window ?? null }, context.signal);
    const path = pathOf(session, input, context);
    await write(path, picture);
    const view = session.view(context.client);
    return renderScreenshot({ view, picture, path, isShown: input.image });
  }

  return screenshot;
}

async function write(path: string, { file }: WindowPicture): Promise<void> {
  try {
    await writeFile(path, file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StrobeError('EXPORT_FAILED', `The picture could not be written: ${why}.`);
  }
}
