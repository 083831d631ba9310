/*
 * The extension in VS Code in a real browser: an agent stops at a breakpoint and the editor follows, a person steps
 * and the agent's wait returns; a person traces a function from its line and its values appear beside
 * it; a failed test is diagnosed and a click leads to the faulty function. Screenshots go to .cache/editor, to be looked at.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser } from '../bench/support/browser.mjs';
import { openHome, Product } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { icon, openEditor } from './support/codeServer.mjs';
import { crash, diagnosed, timeline } from './support/editorPages.mjs';
import { accessible, activation, longFile } from './support/editorWhole.mjs';
import { recordRows } from './support/record.mjs';

const shots = join(root, '.cache/editor');

const source = `#include <stdio.h>
struct order { int id; int cents; };
int price(int count, int cents) {
  int sum = count * cents;
  return sum;
}
int handle(struct order *order) {
  int total = price(order->id, order->cents);
  printf("order %d: %d\\n", order->id, total);
  fflush(stdout);
  return total;
}
int main(void) {
  char line[80];
  int count = 0;
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    struct order order = {++count, 250};
    handle(&order);
  }
  return 0;
}
`;
const lineOf = (text) => source.split('\n').findIndex((line) => line.includes(text)) + 1;

async function main() {
  if (browser() === null) {
    console.log('skipped: no browser (Debian: apt-get install chromium)');
    return;
  }
  for (const name of ['codeServer', 'vscode']) {
    const made = spawnSync(process.execPath, [join(root, 'scripts', `${name}.mjs`)], {
      stdio: 'inherit',
    });
    assert.equal(made.status, 0, name);
  }
  mkdirSync(shots, { recursive: true });
  const home = openHome();
  const opened = [];
  try {
    writeFileSync(join(home.project, 'shop.c'), source);
    spawnSync('gcc', ['-g', '-O0', '-o', 'shop', 'shop.c'], { cwd: home.project });
    const agent = await Product.start(home);
    opened.push(() => agent.close());
    const editor = await openEditor(home);
    opened.push(() => editor.close());
    try {
      const shown = (name) => shot(editor, name);
      await traced(agent, editor, await joined(home, agent, editor));
      const rows = [...(await activation(editor, shown)), await longFile(editor, home, shown)];
      await diagnosed(editor, home, shown);
      await crash(agent, editor, home, shown);
      rows.push(...(await accessible(editor, 'the page of a crash', 'a[data-path]', shown)));
      rows.unshift(await timeline(agent, editor, home, shown));
      rows.push(...(await accessible(editor, 'the page of all calls', '#list', shown)));
      recordRows('editor', 'all scenarios held; what they cost is below', rows);
    } catch (error) {
      await shot(editor, 'failed');
      throw error;
    }
    console.log('ok');
  } finally {
    for (const close of opened.toReversed()) close();
    home.close();
  }
}

/** The line whose number stands beside the mark of the stop. */
const lineShown = `(() => {
  const top = (one) => Math.round(one.getBoundingClientRect().top);
  const mark = document.querySelector('.debug-top-stack-frame-line');
  const numbers = [...document.querySelectorAll('.line-numbers')];
  return mark === null ? 0 : Number(numbers.find((one) => top(one) === top(mark))?.textContent ?? 0);
})()`;

async function shot(editor, name) {
  writeFileSync(join(shots, `${name}.png`), await editor.page.screenshot());
}

async function joined(home, agent, editor) {
  const { sessionId } = await agent.call('debug_launch', {
    command: './shop',
    projectRoot: home.project,
    stdin: 'open',
    patterns: ['handle'],
  });
  await agent.call('debug_breakpoint', { sessionId, add: [`shop.c:${lineOf('int total')}`] });
  await editor.click('the icon of Strobe', icon);
  await editor.seen(
    'the session with its counts',
    `/shop.*runs/s.test(${editor.text('.pane-body .monaco-list-row')})`,
  );
  await shot(editor, '1-sessions');
  await agent.call('debug_session', { action: 'input', sessionId, text: 'a\n' });
  const [stop] = (
    await agent.call('debug_continue', { sessionId, action: 'wait', timeoutMs: 20000 })
  ).stops;
  assert.match(stop.place, /shop\.c:8/);
  await editor.command('Strobe: Join Session with the Debugger');
  await editor.seen(
    'the line of the agent’s stop',
    `document.querySelector('.debug-top-stack-frame-line') !== null`,
  );
  await shot(editor, '2-joined');
  const waiting = agent.call('debug_continue', { sessionId, action: 'over', timeoutMs: 20000 });
  const [stepped] = (await waiting).stops;
  assert.match(stepped.place, /shop\.c:9/);
  // A key that comes before the editor has seen the agent's step finds a thread that runs.
  await editor.seen('the agent’s step', `${lineShown} === 9`);
  await editor.press('F10');
  const [person] = (
    await agent.call('debug_continue', { sessionId, action: 'wait', timeoutMs: 20000 })
  ).stops;
  assert.match(person.place, /shop\.c:10/);
  await editor.seen('the person’s step', `${lineShown} === 10`);
  await shot(editor, '3-stepped');
  await editor.press('F5');
  return sessionId;
}

/** What stands beside the lines of the code. */
const besideLines = `[...document.querySelectorAll('.view-lines span')]
  .map((one) => getComputedStyle(one, '::after').content).filter((text) => text !== 'none').join('\\n')`;

async function isTraced(agent, sessionId, name) {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    const { activePatterns } = await agent.call('debug_trace', { sessionId });
    if (activePatterns.some(({ pattern, hooked }) => pattern === name && hooked > 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${name} is not traced`);
}

async function traced(agent, editor, sessionId) {
  await agent.call('debug_session', { action: 'input', sessionId, text: 'b\n' });
  await editor.seen('the stop at the call of price', `${lineShown} === 8`);
  await editor.command('Strobe: Trace This Function');
  await isTraced(agent, sessionId, 'price');
  await agent.call('debug_breakpoint', { sessionId, remove: ['all'] });
  await editor.press('F5');
  const values = String.raw`\(count \d+, cents 250\) → (500|750)`;
  await agent.call('debug_session', { action: 'input', sessionId, text: 'c\n' });
  await editor.seen('the last values of price', `/${values}/.test(${besideLines})`);
  await shot(editor, '4-traced');
}

await main();
