/*
 * Chromium without a window, spoken to by the DevTools protocol over a WebSocket: the installed one, or Debian's,
 * unpacked by scripts/foreign.mjs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environmentOf, programIn, unpacked } from '../../scripts/foreign.mjs';

const { WebSocket } = createRequire(import.meta.url)('ws');

const names = ['chromium', 'chromium-browser', 'google-chrome'];

let known;

/** The browser: its program and environment; null where none can be had. */
export function browser() {
  known ??= installed() ?? downloaded();
  return known;
}

function installed() {
  const program = names.find((name) => spawnSync(name, ['--version']).status === 0);
  return program === undefined ? null : { program, env: process.env };
}

function downloaded() {
  try {
    const folder = unpacked('chromium');
    const program = programIn(folder, 'usr/lib/chromium/chromium');
    return program === null ? null : { program, env: { ...process.env, ...environmentOf(folder) } };
  } catch (error) {
    console.error(`no browser: ${error.message}`);
    return null;
  }
}

const asValue = (expression) => ({ expression, returnByValue: true, awaitPromise: true });

function valueOf({ result, exceptionDetails }) {
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description);
  return result.value;
}

/** Opens an address in a page of a fresh browser; `problems` are errors of its console and scripts. */
export async function openPage(url, { dark = false } = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'strobe-browser-'));
  const { program, env } = browser();
  const child = spawn(
    program,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      '--window-size=1280,900',
      'about:blank',
    ],
    { env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const address = await new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error('the browser ended')));
    createInterface({ input: child.stderr }).on('line', (line) => {
      const found = /DevTools listening on (ws:\S+)/.exec(line);
      if (found) resolve(found[1]);
    });
  });
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const waiting = new Map();
  const problems = [];
  let onLoad = () => undefined;
  let number = 0;
  socket.on('message', (bytes) => {
    const { id, result, error, method, params } = JSON.parse(
      Buffer.concat([bytes].flat()).toString(),
    );
    if (id !== undefined) {
      const { resolve, reject } = waiting.get(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
    } else if (method === 'Page.loadEventFired') onLoad();
    else if (method === 'Runtime.exceptionThrown')
      problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === 'Log.entryAdded' && params.entry.level === 'error')
      problems.push(params.entry.text);
    else if (method === 'Runtime.consoleAPICalled' && params.type === 'error')
      problems.push(JSON.stringify(params.args));
  });
  const send = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      number++;
      waiting.set(number, { resolve, reject });
      socket.send(JSON.stringify({ id: number, method, params, sessionId }));
    });
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const ask = (method, params) => send(method, params, sessionId);
  for (const domain of ['Page', 'Runtime', 'Log']) await ask(`${domain}.enable`);
  await ask('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
  });
  const loaded = new Promise((resolve) => (onLoad = resolve));
  await ask('Page.navigate', { url });
  await loaded;
  return {
    problems,
    async evaluate(expression) {
      return valueOf(await ask('Runtime.evaluate', asValue(expression)));
    },
    /** A key as a person presses it; `code`: its number, for pages that go by that. */
    async press(key, text, code) {
      for (const type of ['keyDown', 'keyUp'])
        await ask('Input.dispatchKeyEvent', {
          type,
          key,
          ...(code === undefined ? {} : { code: key, windowsVirtualKeyCode: code }),
          ...(type === 'keyDown' && text !== undefined ? { text } : {}),
        });
    },
    async type(text) {
      await ask('Input.insertText', { text });
    },
    async click(selector) {
      const [x, y] = await this.evaluate(
        `(() => { const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()`,
      );
      for (const type of ['mousePressed', 'mouseReleased'])
        await ask('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    },
    /** Evaluates beside the page's own script, in the newest of its frames that has such an element. */
    async evaluateInFrame(selector, expression) {
      const { frameTree } = await ask('Page.getFrameTree');
      const all = ({ frame, childFrames = [] }) => [frame.id, ...childFrames.flatMap(all)];
      for (const frameId of all(frameTree).toReversed()) {
        const { executionContextId: contextId } = await ask('Page.createIsolatedWorld', {
          frameId,
        });
        const there = async (text) =>
          valueOf(await ask('Runtime.evaluate', { ...asValue(text), contextId }));
        const found = `document.querySelector(${JSON.stringify(selector)}) !== null`;
        if (await there(found)) return await there(expression);
      }
      throw new Error(`no frame has ${selector}`);
    },
    /** Milliseconds of the processor for script, style and layout up to now. */
    async busyMs() {
      await ask('Performance.enable', { timeDomain: 'threadTicks' });
      const { metrics } = await ask('Performance.getMetrics');
      const busy = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];
      const found = metrics.filter(({ name }) => busy.includes(name));
      return found.reduce((sum, { value }) => sum + value * 1000, 0);
    },
    async screenshot() {
      return Buffer.from((await ask('Page.captureScreenshot')).data, 'base64');
    },
    close() {
      socket.close();
      child.removeAllListeners('exit');
      child.kill('SIGKILL');
      child.on('exit', () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
    },
  };
}
