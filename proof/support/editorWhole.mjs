/* The extension as a whole in a real browser: how long it takes to start, what it shows in long files, and whether a reader of screens can use its pages. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../bench/support/record.mjs';
import { nodeProject } from './nodePackages.mjs';

/** Functions of the long file. */
const functions = 1500;
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What VS Code itself says of the start of the extension. Answers rows of figures. */
export async function activation(editor, shot) {
  await editor.command('Developer: Show Running Extensions');
  const list = `document.querySelector('.runtime-extensions-editor .monaco-list')`;
  const rows = `[...document.querySelectorAll('.runtime-extensions-editor .monaco-list-row')]`;
  const ours = `${rows}.find((one) => one.querySelector('.name')?.textContent === 'Strobe')`;
  const time = `/\\d+ms/.exec(${ours}?.querySelector('.activation-time')?.textContent)?.[0]`;
  await editor.seen('the running extensions', `${rows}.length > 0 && (${list}.focus(), true)`);
  // The slowest stand first, and only those that are seen are in the page.
  const shown = () => editor.page.evaluate(`${time} ?? null`);
  for (let pages = 0; (await shown()) === null && pages < 10; pages++)
    await editor.press('PageDown');
  const text = await editor.seen('how long activation took', time);
  await shot('11-activation');
  await editor.press('Escape');
  const cost = join(root, 'proof/support/activationCost.mjs');
  const words = [cost, join(root, 'dist/vscode/main.cjs')];
  const runs = Array.from({ length: 9 }, () => Number(spawnSync(process.execPath, words).stdout));
  runs.sort((a, b) => a - b);
  return [
    {
      scenario: 'activation, by the clock, as VS Code tells it',
      mostMs: Number.parseInt(text, 10),
    },
    { scenario: 'activation, time of the processor', medianMs: runs[4], mostMs: runs[8] },
  ];
}

/** Above the functions of a long file stands how to trace them. Answers a row of figures. */
export async function longFile(editor, home, shot) {
  const name = 'long.ts';
  const text = Array.from(
    { length: functions },
    (_, n) => `export function step${n}(value: number): number {\n  return value + ${n};\n}\n`,
  );
  writeFileSync(join(home.project, name), text.join('\n'));
  await editor.open(name);
  const lenses = `[...document.querySelectorAll('.codelens-decoration')]`;
  await editor.seen(
    'lenses in a long file',
    `${lenses}.some((one) => /Trace/.test(one.textContent))`,
  );
  await shot('12-long-file');
  const shown = await editor.page.evaluate(`${lenses}.length`);
  assert.equal(shown, functions);
  return { scenario: `a file with ${functions} functions: what stands above them`, shown };
}

/** Themes by their names in VS Code, and the classes of its window by which it says them. */
const themes = [
  ['Light Modern', 'vs'],
  ['Dark High Contrast', 'hc-black'],
  ['Dark Modern', 'vs-dark'],
];

/** The rules of WCAG for a page in each theme. Answers rows of figures. */
export async function accessible(editor, name, element, shot) {
  const rows = [];
  for (const [theme, mark] of themes) {
    await editor.theme(theme, mark);
    rows.push(await rulesOf(editor, `${name}, ${theme}`, element));
    await shot(`theme-${mark}-${element.replaceAll(/\W+/g, '')}`);
  }
  return rows;
}

/** Looks at the newest page of the extension that has such an element. Throws with what breaks the rules. */
async function rulesOf(editor, name, element) {
  const folder = nodeProject('axe-core', '4.14.1', []);
  const axe = readFileSync(join(folder, 'axe.min.js'), 'utf8');
  const asked = JSON.stringify({ runOnly: { type: 'tag', values: standards } });
  const told = `axe.run(document, ${asked}).then(({ violations, passes }) => ({ passes: passes.length,
    violations: violations.map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes[0].html) }))`;
  const { violations, passes } = await editor.page.evaluateInFrame(element, `${axe};${told}`);
  assert.deepEqual(violations, [], name);
  assert.ok(passes >= 5, `${name}: only ${passes} rules apply`);
  return { scenario: `axe-core, ${name}`, rulesThatHold: passes, violations: violations.length };
}
