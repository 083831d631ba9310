/*
 * A program with a window: the display of its session, pictures of a window of 1280×800 pixels as a client gets them, its
 * elements, and a click that the program answers at once. Needs what `strobe doctor` names for windows, and GTK 3.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { loadTypeScript } from '../scripts/loadTypeScript.mjs';
import { buildPanel } from './support/gtk.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = 25;
const { openbox } = await loadTypeScript(root, { openbox: 'src/collector/ui/ewmh/openbox.ts' });
const PATH = `${join(root, '.cache', 'stage')}${delimiter}${process.env.PATH}`;

function pathOf(program) {
  const { stdout } = spawnSync('which', [program], { env: { PATH }, encoding: 'utf8' });
  return stdout.trim();
}

/** Milliseconds until display, session bus and window manager of a stage answer. */
async function stage(...programs) {
  const folder = mkdtempSync(join(tmpdir(), 'sbench-'));
  writeFileSync(join(folder, 'Xauthority'), '');
  const began = performance.now();
  writeFileSync(join(folder, 'openbox.xml'), openbox.openboxConfiguration);
  const words = [folder, '1280x800x24', ...programs, '3', '4'];
  const own = spawn(join(root, 'dist', 'stage'), words, {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
  });
  const [said] = await once(own.stdio[4], 'data');
  const ms = performance.now() - began;
  own.stdio[3].end();
  await once(own, 'exit');
  rmSync(folder, { recursive: true, force: true });
  if (!String(said).includes('unix:')) throw new Error(`the stage said ${said}`);
  return ms;
}

async function times(product, tool, args) {
  const all = [];
  for (let round = 0; round < rounds; round++) all.push((await product.call(tool, args)).ms);
  return median(all.slice(2));
}

const stages = [];
for (let round = 0; round < 12; round++)
  stages.push(await stage(...['Xvfb', 'dbus-daemon', 'openbox'].map(pathOf)));
const home = openHome({ PATH });
try {
  const product = await Product.start(home);
  const launch = { command: buildPanel(), args: ['wide'], projectRoot: home.project, ui: true };
  const { sessionId } = await product.call('debug_launch', launch);
  const ui = { sessionId, image: false };
  await product.call('debug_ui', { action: 'tree', sessionId });
  const plain = await times(product, 'debug_ui', { ...ui, action: 'screenshot' });
  const annotated = await times(product, 'debug_ui', {
    ...ui,
    action: 'screenshot',
    annotate: true,
  });
  const seen = await times(product, 'debug_ui', { sessionId, action: 'screenshot' });
  const tree = await times(product, 'debug_ui', { sessionId, action: 'tree' });
  const click = await times(product, 'debug_ui', { sessionId, action: 'click', id: 'btn_play' });
  await product.call('debug_session', { action: 'stop', sessionId });
  await product.close();
  const asked = 'whole answer over MCP, GTK 3';
  record('windows', 'Windows', [
    {
      what: 'stage: display, session bus and window manager up, warm',
      value: median(stages.slice(2)),
      unit: 'ms',
      limit: '≤ 250 ms',
    },
    {
      what: 'picture of a window of 1280×800, as a file',
      value: plain,
      unit: 'ms',
      limit: '≤ 25 ms',
      note: asked,
    },
    {
      what: 'the same with the ids of its elements',
      value: annotated,
      unit: 'ms',
      limit: '≤ 40 ms',
      note: asked,
    },
    { what: 'the same, in the answer too', value: seen, unit: 'ms', note: asked },
    { what: 'elements of the window', value: tree, unit: 'ms', limit: '≤ 60 ms', note: asked },
    { what: 'click, with its effect', value: click, unit: 'ms', limit: '≤ 150 ms', note: asked },
  ]);
} finally {
  home.close();
}
