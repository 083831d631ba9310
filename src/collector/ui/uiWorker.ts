import { parentPort, workerData } from 'node:worker_threads';
import { nameThread } from '../../base/threadName.ts';
import { StrobeError } from '../../model/errors.ts';
import { failureOf, type Reply } from '../../model/failure.ts';
import type { WindowPicture } from '../../model/ui/shownWindow.ts';
import { annotated } from './annotated.ts';
import { pngOf, scaled } from './picture.ts';
import { ProgramUi } from './programUi.ts';
import { Screen } from './screen.ts';
import { isStageAddress } from './stage.ts';
import type { UiAnswer, UiAsked, UiKind, UiQuestion } from './uiMessages.ts';
import { pictureOf, windowNamed } from './windows.ts';

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
  ui: ProgramUi,
  { window, isAnnotated }: UiAsked<'screenshot'>,
): Promise<WindowPicture> {
  const shown = await screen();
  const windows = await shown.windows();
  const wanted = windowNamed(windows, window);
  const plain = await pictureOf(shown, windows, wanted);
  const marks = isAnnotated ? await ui.marks(wanted) : [];
  const { picture, omitted } = annotated(plain, marks);
  const small = scaled(picture, MOST_SHOWN);
  const file = await pngOf(picture);
  return {
    window: wanted,
    file,
    small: small === picture ? file : await pngOf(small),
    width: picture.width,
    height: picture.height,
    omitted,
    others: windows
      .filter(({ id, isPopup }) => id !== wanted.id && !isPopup)
      .map(({ title }) => title),
  };
}

let program: ProgramUi | null = null;

async function answer(question: UiQuestion): Promise<UiAnswer<UiKind>> {
  if (!isStageAddress(workerData))
    throw new StrobeError('INTERNAL', 'The thread got no address of a display.');
  program ??= new ProgramUi(workerData, screen);
  switch (question.kind) {
    case 'screenshot':
      return await screenshot(program, question.asked);
    case 'tree':
      return await program.tree();
    case 'act':
      return await program.act(question.asked);
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
