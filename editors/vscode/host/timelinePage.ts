import { numberMember, textMember } from '../../../src/client/messages.ts';
import { CallTimeline, pageRows } from '../plain/callTimeline.ts';
import type { SessionRow } from '../plain/sessionRows.ts';
import { escaped, openPage } from './pages.ts';
import type { StrobeHost } from './strobeHost.ts';

/** All calls of a session in order of time; only the rows that are seen are in the page. */
export async function showTimeline(strobe: StrobeHost, session: SessionRow): Promise<void> {
  const timeline = new CallTimeline(strobe.server, session);
  await timeline.refresh();
  const markup = `<div id="head"><span id="count"></span> · <a id="again" tabindex="0" role="button">Refresh</a></div>
<div id="list" role="tree" tabindex="0" aria-label="Calls of ${escaped(session.program)}"><div id="all"></div></div>`;
  openPage(`Calls: ${session.program}`, { markup, script }, async (message, answer) => {
    await strobe.attempt(async () => {
      const kind = textMember(message, 'kind');
      if (kind === 'count') {
        if (numberMember(message, 'again') === 1) await timeline.refresh();
        answer({ kind: 'count', total: timeline.total, pageRows });
      }
      if (kind === 'page') {
        const from = numberMember(message, 'from');
        answer({ kind: 'page', from, rows: await timeline.page(from) });
      }
    });
  });
}

/** Runs in the page. A browser's elements have a greatest height: beyond it rows are found by the share that is scrolled. */
const script = `
const height = 20, tallest = 8000000, list = document.getElementById('list'), all = document.getElementById('all');
let total = 0, size = 100, pages = new Map(), asked = new Set(), drawn = new Map(), current = 0, kept = null;
const whole = () => Math.min(total * height, tallest);
const seen = () => Math.max(1, Math.floor(list.clientHeight / height));
const callAt = (n) => pages.get(Math.floor(n / size))?.[n % size];
/* Where a key led is kept: in a long list one pixel of the scroll bar is more than a row. */
function first() {
  if (kept && kept.top === list.scrollTop) return kept.begin;
  const most = Math.max(1, whole() - list.clientHeight), rows = Math.ceil(list.clientHeight / height);
  return whole() < tallest ? Math.floor(list.scrollTop / height) : Math.round(list.scrollTop / most * (total - rows));
}
function draw() {
  const begin = first(), end = Math.min(total, begin + Math.ceil(list.clientHeight / height) + 2);
  const top = whole() < tallest ? begin * height : list.scrollTop;
  for (const [n, row] of drawn) if (n < begin || n >= end) { row.remove(); drawn.delete(n); }
  for (let n = begin; n < end; n++) {
    const page = Math.floor(n / size), call = callAt(n);
    if (!pages.has(page) && !asked.has(page)) { asked.add(page); editor.postMessage({ kind: 'page', from: page * size }); }
    let row = drawn.get(n);
    if (!row) { row = document.createElement('div'); row.className = 'row'; row.id = 'row' + n; row.setAttribute('role', 'treeitem'); drawn.set(n, row); all.append(row); }
    row.classList.toggle('current', n === current);
    row.setAttribute('aria-selected', n === current);
    row.style.top = top + (n - begin) * height + 'px';
    if (call && !row.firstChild) fill(row, call, n);
  }
}
function fill(row, call, n) {
  const part = (kind, text) => { const one = document.createElement('span'); one.className = kind; one.textContent = text; row.append(one); };
  part('at', call.at + '  ' + '  '.repeat(Math.min(call.depth, 40)));
  part('name', call.name); part('values', call.values); part('took', '  ' + call.took);
  row.setAttribute('aria-level', call.depth + 1); row.setAttribute('aria-posinset', n + 1); row.setAttribute('aria-setsize', total);
  row.onclick = () => { show(n); open(n); };
}
function open(n) { const place = callAt(n)?.place; if (place) editor.postMessage({ kind: 'open', ...place }); }
function show(n) {
  current = Math.max(0, Math.min(total - 1, n));
  const now = first(), begin = current < now ? current : Math.max(now, current - seen() + 1);
  if (begin !== now) {
    const most = Math.max(1, whole() - list.clientHeight), last = Math.max(1, total - Math.ceil(list.clientHeight / height));
    list.scrollTop = whole() < tallest ? begin * height : begin / last * most;
    kept = { top: list.scrollTop, begin };
  }
  draw();
  list.setAttribute('aria-activedescendant', 'row' + current);
}
const steps = { ArrowDown: () => current + 1, ArrowUp: () => current - 1, PageDown: () => current + seen(), PageUp: () => current - seen(), Home: () => 0, End: () => total - 1 };
list.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') open(current);
  else if (Object.hasOwn(steps, event.key)) { event.preventDefault(); show(steps[event.key]()); }
});
let waits = false;
list.addEventListener('scroll', () => { if (!waits) { waits = true; requestAnimationFrame(() => { waits = false; draw(); }); } });
addEventListener('resize', draw);
const again = document.getElementById('again');
again.onclick = () => editor.postMessage({ kind: 'count', again: 1 });
again.onkeydown = (event) => { if (event.key === 'Enter' || event.key === ' ') again.onclick(); };
addEventListener('message', ({ data }) => {
  if (data.kind === 'count') {
    total = data.total; size = data.pageRows; pages.clear(); asked.clear();
    for (const row of drawn.values()) row.remove();
    drawn.clear(); all.style.height = whole() + 'px';
    document.getElementById('count').textContent = total.toLocaleString('en') + (total === 1 ? ' call' : ' calls');
  } else { pages.set(data.from / size, data.rows); if (pages.size > 40) { const old = pages.keys().next().value; pages.delete(old); asked.delete(old); } }
  draw();
});
editor.postMessage({ kind: 'count' });
`;
