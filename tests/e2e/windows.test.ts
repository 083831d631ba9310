import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { buildPanel, withStage } from '../support/panel.ts';
import { itNeeds } from '../support/needs.ts';
import { killDaemon, partOf, partsOf } from '../support/parts.ts';
import { until } from '../support/processes.ts';
import { numberAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { startClient } from '../support/client.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Width and height as a PNG file tells them. */
function sizeOf(png: Buffer): readonly [number, number] {
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe('windows', () => {
  const { home, client } = withClient(withStage);

  async function shown(...args: readonly string[]) {
    const launched = await launch(client, home, buildPanel(), { ui: true, args });
    await outputSeen(client, launched.sessionId, 'ready');
    return { sessionId: launched.sessionId, pid: numberAt(launched.structured, 'pid') };
  }

  itNeeds(
    'stage',
    '[ui.screenshot] the answer holds a picture of a window, also of a stopped program, and its file',
    async () => {
      const { sessionId, pid } = await shown();
      const seen = await client.ok('debug_ui', { action: 'screenshot', sessionId });
      expect(seen.text).toMatch(/^window "Panel" 320x480 at 0,0: \/.*screenshot-1\.png$/);
      const [image] = seen.images;
      expect(image?.mimeType).toBe('image/png');
      const png = Buffer.from(String(image?.data), 'base64');
      expect(sizeOf(png)).toEqual([320, 480]);
      expect(readFileSync(textAt(seen.structured, 'path')).equals(png)).toBe(true);

      process.kill(pid, 'SIGSTOP');
      const path = join(home.project, 'stopped.png');
      const still = { action: 'screenshot', sessionId, path, image: false };
      const { images } = await client.ok('debug_ui', still);
      process.kill(pid, 'SIGCONT');
      expect(images).toEqual([]);
      expect(sizeOf(readFileSync(path))).toEqual([320, 480]);

      const other = { action: 'screenshot', sessionId, window: 'Pannel' };
      const refused = await client.refused('debug_ui', other);
      expect(refused.text).toMatch(/^NO_WINDOW: No window is called "Pannel".*"Panel"/);
      await client.ok('debug_session', { action: 'stop', sessionId });
      const late = await client.refused('debug_ui', { action: 'screenshot', sessionId });
      expect(late.text).toMatch(/^SESSION_ENDED/);
    },
  );

  itNeeds(
    'stage',
    '[ui.stage] displays of two programs are apart, outlive a killed daemon, and nothing of them is left after stop or kill',
    async () => {
      const [first, second] = [await shown(), await shown()];
      expect(partsOf(home, 'display')).toHaveLength(2);
      await killDaemon(home);
      const later = await startClient(home);
      const seen = await later.ok('debug_ui', { action: 'screenshot', sessionId: first.sessionId });
      expect(seen.images).toHaveLength(1);
      const stop = { action: 'stop', sessionId: first.sessionId, takeOver: true };
      await later.ok('debug_session', stop);
      await until('its display is gone', () => partsOf(home, 'display').length === 1);
      process.kill(second.pid, 'SIGKILL');
      await until('no display is left', () => partsOf(home, 'display').length === 0);
      await until('no stage is left', () => partsOf(home, 'stage').length === 0);

      const third = await shown();
      process.kill(partOf(home, 'stage'), 'SIGKILL');
      await until('its display goes with it', () => partsOf(home, 'display').length === 0);
      await later.ok('debug_session', {
        action: 'stop',
        sessionId: third.sessionId,
        takeOver: true,
      });
    },
  );

  test('[ui.stage] what is not installed is named with its package, and a session without a display says how to get one', async () => {
    const missing = await client.refused('debug_launch', {
      command: '/bin/sleep',
      args: ['60'],
      projectRoot: home.project,
      ui: true,
      env: { PATH: '/nowhere' },
    });
    expect(missing.text).toMatch(/^NO_STAGE: "ui": true needs Xvfb, .*apt-get install xvfb/s);
    const { sessionId } = await launch(client, home, '/bin/sleep', { args: ['60'] });
    const none = await client.refused('debug_ui', { action: 'screenshot', sessionId });
    expect(none.text).toMatch(/^NO_STAGE: .*\n.*debug_launch and "ui": true/);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});
