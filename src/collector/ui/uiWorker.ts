import { parentPort, workerData } from 'node:worker_threads';
import { nameThread } from '../../base/threadName.ts';
import { StrobeError } from '../../model/errors.ts';
import { failureOf, type Reply } from '../../model/failure.ts';
import type { WindowPicture } from '../../model/ui/shownWindow.ts';
import { annotate } from './annotate.ts';
import { pngOf, scaled } from './picture.ts';
import { PageUi } from './page/pageUi.ts';
import { ProgramUi } from './programUi.ts';
import { Screen } from './screen.ts';
import type { ShownUi } from './shownUi.ts';
import { isStageAddress } from './stage.ts';
import type { UiAnswer, UiAsked, UiKind, UiQuestion } from './uiMessages.ts';
import { windowNamed } from './windows.ts';

/*
 * The thread that sees what one program shows. It keeps its connection: windows are drawn into pixmaps of their own for
 * as long as somebody asks for that.
 */

/** Models scale larger pictures down themselves, and less well. */
const MOST_SHOWN = 1568;

let opened: Promise<Screen> | null = null;

async function screen(): Promise<Screen> {
  if (!isStageAddress(workerData))
    throw new StrobeError('INTERNAL', 'The thread got no address of a display.');
  opened ??= Screen.open(workerData, () => (opened = null));
  opened.catch(() => (opened = null));
  return await opened;
}

async function screenshot(
  ui: ShownUi,
  { window, isAnnotated }: UiAsked<'screenshot'>,
): Promise<WindowPicture> {
  const windows = await ui.windows();
  const wanted = windowNamed(windows, window);
  const [{ marks, ageMs }, picture] = await Promise.all([
    isAnnotated ? ui.marks(wanted, windows) : { marks: [], ageMs: null },
    ui.picture(wanted, windows),
  ]);
  const omitted = annotate(picture, marks);
  const small = scaled(picture, MOST_SHOWN);
  const file = await pngOf(picture);
  return {
    window: wanted,
    file,
    small: small === picture ? file : await pngOf(small),
    width: picture.width,
    height: picture.height,
    omitted,
    idsAgeMs: ageMs,
    others: windows
      .filter(({ id, isPopup }) => id !== wanted.id && !isPopup)
      .map(({ title }) => title),
  };
}

let shown: ShownUi | null = null;

function shownUi(): ShownUi {
  if (!isStageAddress(workerData))
    throw new StrobeError('INTERNAL', 'The thread got no address of a display.');
  const { page } = workerData;
  shown ??=
    page === null
      ? new ProgramUi(workerData, screen, visionCommandOf(workerData))
      : new PageUi(page);
  return shown;
}

function visionCommandOf(given: object): readonly string[] {
  const command = 'visionCommand' in given ? given.visionCommand : [];
  return Array.isArray(command) ? command.map(String) : [];
}

async function answer(question: UiQuestion): Promise<UiAnswer<UiKind>> {
  const ui = shownUi();
  switch (question.kind) {
    case 'screenshot':
      return await screenshot(ui, question.asked);
    case 'tree':
      return await ui.tree();
    case 'act':
      return await ui.act(question.asked);
  }
}

function main(): void {
  const port = parentPort;
  if (!port) throw new Error('This file runs in a worker thread.');
  nameThread('ui');
  screen().catch(() => undefined); // Told when something is asked.
  port.on('message', (question: UiQuestion) => {
    void replyTo(question).then((reply) => port.postMessage(reply));
  });
}

async function replyTo(question: UiQuestion): Promise<Reply<UiAnswer<UiKind>>> {
  try {
    return { ok: true, answer: await answer(question) };
  } catch (error) {
    return { ok: false, ...failureOf(error) };
  }
}

main();
