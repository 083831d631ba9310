import { nearest } from '../../base/nearest.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ShownWindow } from '../../model/ui/shownWindow.ts';
import type { Picture } from './picture.ts';
import type { Screen } from './screen.ts';

const BYTES_OF_PIXEL = 4;

/** The window that is meant, of those shown, the topmost first. Throws NO_WINDOW. */
export function windowNamed(windows: readonly ShownWindow[], wanted: string | null): ShownWindow {
  const framed = windows.filter(({ isPopup }) => !isPopup);
  const [topmost] = framed.length > 0 ? framed : windows;
  if (topmost === undefined)
    throw new StrobeError(
      'NO_WINDOW',
      'The program shows no window.',
      'Wait for it: debug_session {"action":"wait","for":["output"],"timeoutMs":2000}; or read its output: debug_query {"view":"output"}.',
    );
  if (wanted === null) return topmost;
  const found =
    windows.find(({ title }) => title === wanted) ??
    windows.find(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()));
  if (found !== undefined) return found;
  const titles = framed.map(({ title }) => title);
  const [close = topmost.title] = nearest(wanted, titles);
  throw new StrobeError(
    'NO_WINDOW',
    `No window is called ${JSON.stringify(wanted)}; these are shown: ${titles.map((title) => JSON.stringify(title)).join(', ')}.`,
    `Use "window": ${JSON.stringify(close)}, or leave it out for the topmost.`,
  );
}

/** A window with the menus and tool tips that are open over it. */
export async function pictureOf(
  screen: Screen,
  windows: readonly ShownWindow[],
  wanted: ShownWindow,
): Promise<Picture> {
  const above = windows.slice(0, windows.indexOf(wanted)).filter(({ isPopup }) => isPopup);
  const parts = [wanted, ...above.toReversed()];
  const pictures = await Promise.all(
    parts.map(async (window) => ({ window, picture: await screen.picture(window.id) })),
  );
  const [only] = pictures;
  if (pictures.length === 1 && only !== undefined) return only.picture;
  const left = Math.min(...parts.map(({ x }) => x));
  const top = Math.min(...parts.map(({ y }) => y));
  const width = Math.max(...parts.map((part) => part.x + part.width)) - left;
  const height = Math.max(...parts.map((part) => part.y + part.height)) - top;
  const pixels = Buffer.alloc(width * height * BYTES_OF_PIXEL);
  for (const { window, picture } of pictures)
    for (let row = 0; row < Math.min(picture.height, window.height); row++) {
      const from = row * picture.width * BYTES_OF_PIXEL;
      const to = ((window.y - top + row) * width + window.x - left) * BYTES_OF_PIXEL;
      const length = Math.min(picture.width, window.width) * BYTES_OF_PIXEL;
      picture.pixels.copy(pixels, to, from, from + length);
    }
  return { width, height, pixels };
}
