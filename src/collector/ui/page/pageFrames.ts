import type { Widget } from '../atspi/widget.ts';
import { within } from '../reading.ts';
import { fieldsOf, listOf, textOf } from './devtoolsPipe.ts';
import type { Pages } from './pages.ts';
import { pageWidget } from './pageTree.ts';

/** So deep frames in frames are read. */
const MOST_DEEP = 5;

/** A page with what is in its frames. Null: it is empty. */
export async function readPage(
  pages: Pages,
  session: string,
  frameId: string | null = null,
  deep = 0,
): Promise<Widget | null> {
  const which = frameId === null ? {} : { frameId };
  const { nodes } = await pages.ask('Accessibility.getFullAXTree', which, session);
  const page = pageWidget(session, listOf(nodes));
  const frames = page === null ? [] : within(page).filter(({ role }) => role === 'iframe');
  for (const frame of frames) {
    const inner = deep < MOST_DEEP ? await readFrame(pages, frame, deep + 1) : null;
    if (inner === null) frame.text = 'its elements are not read';
    else frame.children.push(inner);
  }
  return page;
}

/** Frames of other sites are targets of their own. Null: it cannot be read, or is on its way. */
async function readFrame(
  pages: Pages,
  { reference }: Widget,
  deep: number,
): Promise<Widget | null> {
  const { bus, path } = reference;
  try {
    const { node } = await pages.ask('DOM.describeNode', { backendNodeId: Number(path) }, bus);
    const frameId = textOf(fieldsOf(node)['frameId']);
    const own = pages.frameSession(frameId);
    return await (own === null
      ? readPage(pages, bus, frameId, deep)
      : readPage(pages, own, null, deep));
  } catch {
    return null;
  }
}

/** Where what is in a frame begins, in pixels of the page that it is in. */
export async function cornerOf(
  pages: Pages,
  { reference }: Widget,
): Promise<{ readonly x: number; readonly y: number }> {
  const { bus, path } = reference;
  const { model } = await pages.ask('DOM.getBoxModel', { backendNodeId: Number(path) }, bus);
  const { content } = fieldsOf(model);
  const [x = 0, y = 0] = Array.isArray(content) ? content.map(Number) : [];
  return { x, y };
}
