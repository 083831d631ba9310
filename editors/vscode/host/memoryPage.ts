import { numberMember, textMember } from '../../../src/client/messages.ts';
import { readBytes } from '../plain/watchedValues.ts';
import type { SessionRow } from '../plain/sessionRows.ts';
import { escaped, openPage } from './pages.ts';
import type { StrobeHost } from './strobeHost.ts';

/** Bytes of one page. */
const shownBytes = 256;

/** The bytes of a variable or an address while the program runs; what changes is marked, once a second. */
export function showMemory(strobe: StrobeHost, session: SessionRow, expression: string): void {
  let base: bigint | null = null;
  let offset = 0;
  const bytesNow = async (): Promise<object> => {
    const place =
      base === null || offset === 0 ? expression : `0x${(base + BigInt(offset)).toString(16)}`;
    const read = await readBytes(strobe.server, session.id, { place, bytes: shownBytes });
    if (offset === 0 && read.address !== '') base = BigInt(read.address);
    return { kind: 'bytes', ...read };
  };
  const button = (id: string, text: string): string =>
    `<a id="${id}" tabindex="0" role="button">${text}</a>`;
  const markup = `<div id="head">${escaped(expression)} · ${button('back', 'Earlier')} · ${button('on', 'Later')} · ${button('home', 'Back to it')}</div>
<pre id="bytes" tabindex="0" aria-label="Memory of ${escaped(session.program)}"></pre>`;
  const panel = openPage(`Memory: ${expression}`, { markup, script }, async (message, answer) => {
    if (textMember(message, 'kind') !== 'move') return;
    const by = numberMember(message, 'by');
    offset = by === 0 ? 0 : offset + by * shownBytes;
    answer(await bytesNow());
  });
  const name = `memory ${session.id} ${expression}`;
  strobe.sees(name, true);
  const live = strobe.onSessions(async () => {
    if (panel.visible) await panel.webview.postMessage(await bytesNow());
  });
  panel.onDidChangeViewState(() => strobe.sees(name, panel.visible));
  panel.onDidDispose(() => {
    strobe.sees(name, false);
    live.dispose();
  });
}

/** Runs in the page. */
const script = `
const shown = document.getElementById('bytes'), before = { address: '', bytes: '' };
addEventListener('message', ({ data }) => {
  if (data.why) { shown.textContent = data.why; return; }
  const start = BigInt(data.address), pairs = data.bytes.match(/../g) ?? [];
  const old = before.address === data.address ? before.bytes.match(/../g) : null;
  shown.replaceChildren();
  for (let n = 0; n < pairs.length; n += 16) {
    shown.append('0x' + (start + BigInt(n)).toString(16).padStart(12, '0') + ' ');
    const line = pairs.slice(n, n + 16);
    line.forEach((pair, k) => {
      const one = document.createElement('span');
      one.textContent = ' ' + pair;
      if (old && old[n + k] !== pair) one.className = 'changed';
      shown.append(one);
    });
    const text = line.map((pair) => { const code = parseInt(pair, 16); return code > 31 && code < 127 ? String.fromCharCode(code) : '.'; });
    shown.append('   '.repeat(16 - line.length) + '  ' + text.join('') + '\\n');
  }
  before.address = data.address; before.bytes = data.bytes;
});
for (const [id, by] of [['back', -1], ['on', 1], ['home', 0]]) {
  const button = document.getElementById(id);
  button.onclick = () => editor.postMessage({ kind: 'move', by });
  button.onkeydown = (event) => { if (event.key === 'Enter' || event.key === ' ') button.onclick(); };
}
editor.postMessage({ kind: 'move', by: 0 });
`;
