/* VS Code in a browser with our extension, driven as a person does: by keys, clicks, and what the page shows. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../bench/support/record.mjs';
import { openPage } from '../../bench/support/browser.mjs';

const folder = join(root, '.cache/codeServer/node_modules');
const node = join(folder, 'node/bin/node');
const entry = join(folder, 'code-server/out/node/entry.js');
const limitMs = 60_000;
const keys = {
  F1: 112,
  F5: 116,
  F9: 120,
  F10: 121,
  Enter: 13,
  Escape: 27,
  ArrowRight: 39,
  PageDown: 34,
  End: 35,
  ArrowUp: 38,
};

/** Strobe in the bar of activities. */
export const icon = '.activitybar .action-label[aria-label^="Strobe"]';

const settings = {
  'strobe.path': join(root, 'strobe'),
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Dark Modern',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
};

/** Opens a project of a home of Strobe; `close` ends all of it. */
export async function openEditor(home) {
  const profile = mkdtempSync(join(tmpdir(), 'strobe-editor-'));
  const places = ['--user-data-dir', profile, '--extensions-dir', join(profile, 'extensions')];
  // What is the machine's, as the path of strobe, is not read from the user's.
  for (const kind of ['User', 'Machine']) {
    mkdirSync(join(profile, kind));
    writeFileSync(join(profile, kind, 'settings.json'), JSON.stringify(settings));
  }
  const env = { ...home.env, HOME: profile };
  const vsix = ['--install-extension', join(root, 'dist/strobe.vsix')];
  const installed = spawnSync(node, [entry, ...places, ...vsix], { env, encoding: 'utf8' });
  if (installed.status !== 0) throw new Error(`${installed.stdout}${installed.stderr}`);
  const quiet = ['--auth', 'none', '--disable-telemetry', '--disable-update-check'];
  const words = [entry, ...places, ...quiet, '--bind-addr', '127.0.0.1:0', home.project];
  const server = spawn(node, words, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const address = await new Promise((resolve, reject) => {
    let said = '';
    server.on('exit', () => reject(new Error(said)));
    createInterface({ input: server.stdout }).on('line', (line) => {
      said += `${line}\n`;
      const found = /listening on (http:\S+)/.exec(line);
      if (found) resolve(found[1]);
    });
  });
  const page = await openPage(`${address}?folder=${encodeURIComponent(home.project)}`, {
    dark: true,
  });
  const person = withPerson(page);
  // Keys that come before its parts are there go nowhere.
  await person.seen('the icon of Strobe', `document.querySelector('${icon}') !== null`);
  return { ...person, close, theme };

  /** Another theme, by its label; `mark`: the class by which its window says it. */
  async function theme(name, mark) {
    await person.command('Preferences: Color Theme');
    await page.type(name);
    await person.click(name, `.quick-input-list .monaco-list-row[aria-label^="${name}"]`);
    await person.seen(name, `document.querySelector('.monaco-workbench.${mark}') !== null`);
  }

  function close() {
    page.close();
    server.removeAllListeners('exit');
    try {
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
    } catch {
      // It has ended.
    }
    server.on('exit', () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
  }
}

function withPerson(page) {
  /** Waits until the page shows it: an expression that is true then; answers its value. */
  async function seen(what, expression) {
    for (const end = Date.now() + limitMs; Date.now() < end;) {
      const value = await page.evaluate(expression).catch(() => null);
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`not seen within ${limitMs / 1000} s: ${what}`);
  }
  const press = (key) => page.press(key, key === 'Enter' ? '\r' : undefined, keys[key]);
  return {
    page,
    seen,
    press,
    /** A text within elements. */
    text: (selector) =>
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent).join('\\n')`,
    async click(what, selector) {
      await seen(what, `document.querySelector(${JSON.stringify(selector)}) !== null`);
      await page.click(selector);
    },
    /** Opens a file of the project by its name. */
    async open(name) {
      await this.command('Go to File...');
      await page.type(name);
      await this.click(name, `.quick-input-list .monaco-list-row[aria-label^="${name}"]`);
    },
    /** Runs a command by its title in the palette. */
    async command(title) {
      await press('F1');
      await seen(
        'the palette',
        `document.querySelector('.quick-input-widget input') !== null && document.querySelector('.quick-input-widget').style.display !== 'none'`,
      );
      await page.type(title);
      // Others that are alike stand above it at times.
      const row = (tail) => `.quick-input-list .monaco-list-row[aria-label${tail}"]`;
      const selector = `${row(`="${title}`)}, ${row(`^="${title},`)}`;
      await seen(title, `document.querySelector(${JSON.stringify(selector)}) !== null`);
      await page.click(selector);
    },
  };
}
