import { escaped } from '../../../base/visible.ts';
import type { SessionView } from '../../../model/session.ts';
import type { WindowPicture } from '../../../model/ui/shownWindow.ts';
import type { ToolAnswer } from '../answers/answer.ts';

/** Answer of debug_ui screenshot. */
export function renderScreenshot({
  view,
  picture,
  path,
  isShown,
}: {
  readonly view: SessionView;
  readonly picture: WindowPicture;
  readonly path: string;
  readonly isShown: boolean;
}): ToolAnswer {
  const { window, width, height, others, small } = picture;
  const lines = [
    `window ${JSON.stringify(window.title)} ${width}x${height} at ${window.x},${window.y}: ${path}`,
    ...(others.length > 0
      ? [`other windows: ${others.map((title) => JSON.stringify(title)).join(', ')}`]
      : []),
  ];
  return {
    text: lines.map((line) => escaped(line)).join('\n'),
    structured: {
      action: 'screenshot',
      sessionId: view.id,
      window: window.title,
      width,
      height,
      path,
      otherWindows: others,
      nextSteps: [],
    },
    ...(isShown
      ? { image: { mimeType: 'image/png', data: Buffer.from(small).toString('base64') } }
      : {}),
  };
}
