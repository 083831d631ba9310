import { crashStory, type StoryPart } from '../plain/crashStory.ts';
import type { SessionRow } from '../plain/sessionRows.ts';
import { escaped, openPage } from './pages.ts';
import type { StrobeHost } from './strobeHost.ts';

/** Why a program died: stack with values, source, last calls; places are links. */
export async function showCrash(strobe: StrobeHost, session: SessionRow): Promise<void> {
  const sections = await crashStory(strobe.server, session);
  const markup = sections
    .map(({ title, lines }) => {
      const text = lines.map((parts) => parts.map(partMarkup).join('')).join('\n');
      return `<h2>${escaped(title)}</h2><pre>${text}</pre>`;
    })
    .join('\n');
  openPage(`Crash: ${session.program}`, { markup, script }, () => Promise.resolve());
}

function partMarkup({ text, place }: StoryPart): string {
  if (place === null) return escaped(text);
  return `<a tabindex="0" role="link" data-path="${escaped(place.path)}" data-line="${place.line}">${escaped(text)}</a>`;
}

const script = `
for (const link of document.querySelectorAll('a[data-path]')) {
  const open = () => editor.postMessage({ kind: 'open', path: link.dataset.path, line: Number(link.dataset.line) });
  link.onclick = open; link.onkeydown = (event) => { if (event.key === 'Enter') open(); };
}`;
