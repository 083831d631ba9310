/* Pages of the extension in a real browser: why a program crashed, with links; a million calls, scrolled. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Steps of the wheel, of a page, and of the scroll bar. */
const steps = 60;
const calls = 1_000_000;

const crashing = `#include <stdio.h>
struct cart { int count; };
static int sum(struct cart *cart) {
  return cart->count + 1;
}
int main(int argc, char **argv) {
  struct cart *cart = argc > 5 ? (struct cart *)argv : NULL;
  printf("%d\\n", sum(cart));
  return 0;
}
`;
const ticking = `static volatile long ticks;
__attribute__((noinline)) long tick(long n) { return ticks += n; }
int main(void) { for (long n = 0; n < ${calls}; n++) tick(n); return 0; }
`;

/** An expression of which \`document\` is the page of the extension that was opened last. */
const inPage = (expression) => `(() => {
  const outer = [...document.querySelectorAll('iframe.webview')].at(-1)?.contentDocument;
  const document_ = outer?.querySelector('#active-frame')?.contentDocument;
  return document_ ? ((document) => (${expression}))(document_) : null;
})()`;

async function ended(agent, home, name, source, patterns) {
  writeFileSync(join(home.project, `${name}.c`), source);
  spawnSync('gcc', ['-g', '-O0', '-o', name, `${name}.c`], { cwd: home.project });
  const asked = { command: `./${name}`, projectRoot: home.project, patterns };
  const { sessionId } = await agent.call('debug_launch', asked);
  await agent.call('debug_session', {
    action: 'wait',
    sessionId,
    for: ['exit'],
    timeoutMs: 50_000,
  });
  return sessionId;
}

/** Picks the session of a program in the list that a command shows. */
async function onSession(editor, command, program) {
  await editor.command(command);
  const row = `.quick-input-list .monaco-list-row[aria-label^="${program},"]`;
  await editor.click(`the session of ${program}`, row);
}

/** A crash: its page names the faulty line, and a click on it opens the line. */
export async function crash(agent, editor, home, shot) {
  await ended(agent, home, 'crashing', crashing, ['sum']);
  await onSession(editor, 'Strobe: Show Why It Crashed', 'crashing');
  const link = `document.querySelector('a[data-path$="crashing.c"][data-line="4"]')`;
  await editor.seen('a link to the faulty line', inPage(`${link} !== null`));
  await shot('5-crash');
  await editor.page.evaluate(inPage(`${link}.click()`));
  await editor.seen(
    'the faulty line in the editor',
    `document.querySelector('.monaco-editor.focused .view-lines')?.textContent.includes('sum')
      && /Ln 4, /.test(document.querySelector('#status\\\\.editor\\\\.selection')?.textContent ?? '')`,
  );
  await shot('6-crash-line');
}

/** A million calls: what a step of scrolling costs the page, and how many rows are in it. Answers a row of figures. */
export async function timeline(agent, editor, home, shot) {
  const tick = { pattern: 'tick', sampling: 'off' };
  await ended(agent, home, 'ticking', ticking, [tick]);
  await onSession(editor, 'Strobe: Show Calls in Order of Time', 'ticking');
  const list = `document.getElementById('list')`;
  const count = `document.getElementById('count')?.textContent ?? ''`;
  await editor.seen('a million calls', inPage(`(${count}).startsWith('1,000,000 ')`));
  const filled = `[...document.querySelectorAll('.row')].every((row) => row.firstChild !== null)`;
  await editor.seen('the first calls', inPage(filled));
  await shot('7-timeline');
  const distances = [60, 1800, 250_000, -40, -900, -120_000];
  const costs = [];
  let mostRows = 0;
  for (let n = 0; n < steps; n++) {
    const before = await editor.page.busyMs();
    const frames = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`;
    await editor.page.evaluate(
      inPage(`(${list}.scrollTop += ${distances[n % distances.length]}, ${frames})`),
    );
    await editor.seen('the calls of a step', inPage(filled));
    costs.push((await editor.page.busyMs()) - before);
    const rows = await editor.page.evaluate(inPage(`document.querySelectorAll('.row').length`));
    mostRows = Math.max(mostRows, rows);
  }
  await shot('8-timeline-scrolled');
  await byKeys(editor);
  assert.ok(mostRows > 10 && mostRows <= 300, `${mostRows} rows`);
  costs.sort((a, b) => a - b);
  const at = (share) => Number(costs[Math.floor((costs.length - 1) * share)].toFixed(1));
  return {
    scenario: 'a step of scrolling, script and layout',
    calls,
    steps,
    mostRows,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    mostMs: at(1),
  };
}

/** The last call but one is reached and its source opened by keys alone. */
async function byKeys(editor) {
  const list = `document.getElementById('list')`;
  await editor.page.evaluate(inPage(`${list}.focus()`));
  for (const key of ['End', 'ArrowUp']) await editor.press(key);
  const current = `document.getElementById(${list}.getAttribute('aria-activedescendant'))`;
  const place = `${current}?.getAttribute('aria-posinset')`;
  await editor.seen('the call that keys lead to', inPage(`${place} === '${calls - 1}'`));
  await editor.press('Enter');
  await editor.seen(
    'its function in the editor',
    `document.querySelector('.monaco-editor.focused .view-lines')?.textContent.includes('tick')`,
  );
}

const cart = `def price(count, cents):
    if count >= 10:
        return count * cents - 1
    return count * cents
`;
const cartTests = `import unittest

from cart import price


class Carts(unittest.TestCase):
    def test_many(self):
        self.assertEqual(price(10, 100), 1000)

    def test_one(self):
        self.assertEqual(price(1, 150), 150)
`;

/** A failed test is diagnosed; a click on a place in its story opens the faulty function. */
export async function diagnosed(editor, home, shot) {
  writeFileSync(join(home.project, 'cart.py'), cart);
  writeFileSync(join(home.project, 'test_cart.py'), cartTests);
  await editor.command('Strobe: Run Tests and Diagnose Failures');
  const story = `[...document.querySelectorAll('.monaco-list-row[aria-level="3"]')]
    .find((one) => one.textContent.startsWith('test_cart.Carts.test_many, failing traced'))`;
  await editor.seen('the story below the failed test', `${story} !== undefined`);
  await editor.page.evaluate(`${story}.id = 'story'`);
  await editor.page.click('#story');
  const link = `a[data-href*="/cart.py#L"]`;
  await editor.seen('its links', `document.querySelector('${link}') !== null`);
  await shot('9-diagnosed');
  await editor.click('the place of the first suspect', link);
  await editor.seen(
    'the faulty function in the editor',
    `document.querySelector('.monaco-editor.focused .view-lines')?.textContent.includes('price')
      && /Ln [123], /.test(document.querySelector('#status\\\\.editor\\\\.selection')?.textContent ?? '')`,
  );
  await shot('10-faulty-line');
}
