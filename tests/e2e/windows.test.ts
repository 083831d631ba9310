import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { buildPanel, withStage } from '../support/panel.ts';
import { itNeeds } from '../support/needs.ts';
import { killDaemon, partOf, partsOf } from '../support/parts.ts';
import { until } from '../support/processes.ts';
import { listAt, numberAt, textAt } from '../support/read.ts';
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
      expect(seen.text).toMatch(/^window "Panel" 320x480 at 0,0: \/.*screenshot\.png$/);
      const [image] = seen.images;
      expect(image?.mimeType).toBe('image/png');
      const png = Buffer.from(String(image?.data), 'base64');
      expect(sizeOf(png)).toEqual([320, 480]);
      expect(readFileSync(textAt(seen.structured, 'path')).equals(png)).toBe(true);

      const marked = await client.ok('debug_ui', {
        action: 'screenshot',
        sessionId,
        annotate: true,
      });
      const drawn = readFileSync(textAt(marked.structured, 'path'));
      expect(sizeOf(drawn)).toEqual([320, 480]);
      expect(drawn.equals(png)).toBe(false);

      process.kill(pid, 'SIGSTOP');
      const path = join(home.project, 'stopped.png');
      const still = { action: 'screenshot', sessionId, path, image: false };
      const { images } = await client.ok('debug_ui', still);
      process.kill(pid, 'SIGCONT');
      expect(images).toEqual([]);
      expect(sizeOf(readFileSync(path))).toEqual([320, 480]);

      await client.ok('debug_ui', still);
      const kept = join(home.project, 'notes.txt');
      writeFileSync(kept, 'mine');
      const over = await client.refused('debug_ui', { ...still, path: kept });
      expect(over.text).toContain('it is not replaced');
      expect(readFileSync(kept, 'utf8')).toBe('mine');
      const away = { ...still, path: join(home.path, 'settings.json') };
      expect((await client.refused('debug_ui', away)).text).toContain('outside the folders');

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

  itNeeds(
    'stage',
    '[ui.tree] elements have readable ids that stay, long lists are folded, and passwords are not read',
    async () => {
      const { sessionId, pid } = await shown();
      const tree = await client.ok('debug_ui', { action: 'tree', sessionId, budget: 900 });
      const lines = listAt(tree.structured, 'elements').map(String);
      const wanted = [
        '[frame "Panel" id=win_panel',
        '  [button "Play" id=btn_play',
        '  [check box "Loop" id=chk_loop]',
        '  [slider id=sld1 value=0 (0..10)]',
        '  [button "Record" id=btn_record disabled]',
        '  [password text id=pwd1',
        '  [label "silent" id=lbl_silent]',
      ];
      for (const line of wanted) expect(lines.some((one) => one.startsWith(line))).toBe(true);
      const short = await client.ok('debug_ui', { action: 'tree', sessionId, budget: 200 });
      expect(short.text).toMatch(/… \d+ more: debug_ui \{"action":"tree","root":"win_panel"\}/);
      const again = await client.ok('debug_ui', { action: 'tree', sessionId, budget: 900 });
      const idsOf = (text: string): string[] => text.match(/id=\S+/g) ?? [];
      expect(idsOf(again.text)).toEqual(idsOf(tree.text));
      process.kill(pid, 'SIGSTOP');
      const silent = await client.refused('debug_ui', { action: 'tree', sessionId });
      process.kill(pid, 'SIGCONT');
      expect(silent.text).toMatch(/^TIMED_OUT: The program did not answer .*stopped/);
      await client.ok('debug_session', { action: 'stop', sessionId });
    },
  );

  itNeeds(
    'stage',
    '[ui.act] [ui.harmless] an action in a window is answered with its effect, which the program says too, and reading adds nothing to that',
    async () => {
      const { sessionId } = await shown('late');
      const act = async (action: string, more: Readonly<Record<string, unknown>>) => {
        const answer = await client.ok('debug_ui', { action, sessionId, ...more });
        return { done: textAt(answer.structured, 'done'), text: answer.text };
      };
      const played = await act('click', { id: 'btn_play' });
      expect(played.done).toBe('confirmed');
      expect(played.text).toMatch(/~ \[label "played 1" id=lbl_silent\] {2}was/);
      expect(played.text).toContain('\nwrote: note 1\n');
      expect((await act('setValue', { id: 'sld1', value: 7 })).done).toBe('confirmed');
      expect((await act('setValue', { id: 'sld1', value: 70 })).done).toBe('noEffect');
      expect((await act('click', { id: 'chk_loop' })).text).toContain('id=chk_loop checked');
      expect((await act('type', { id: 'txt1', text: 'Añ € b' })).done).toBe('confirmed');
      expect((await act('key', { key: 'Return' })).done).toBe('sent');
      expect((await act('click', { id: 'btn_about' })).text).toMatch(/\+ .*About Panel.*modal/);
      const refused = async (id: string) =>
        (await client.refused('debug_ui', { action: 'click', sessionId, id })).text;
      expect(await refused('btn_play')).toMatch(/^NOT_ACTIONABLE: .*About Panel.*in front/);
      expect((await act('click', { id: 'btn_close' })).text).toMatch(/- .*About Panel/);
      expect(await refused('btn_plai')).toMatch(/^UNKNOWN_ELEMENT: .*btn_play/);
      expect(await refused('btn_record')).toMatch(/^NOT_ACTIONABLE: btn_record is disabled/);
      for (let round = 0; round < 100; round++)
        await client.ok('debug_ui', { action: 'tree', sessionId });
      const { structured } = await client.ok('debug_query', {
        view: 'output',
        sessionId,
        limit: 50,
      });
      const written = listAt(structured, 'lines').map((line) => textAt(line, 'text'));
      expect(written.filter((line) => !line.startsWith('name '))).toEqual([
        'ready',
        'note 1',
        'cutoff 7',
        'cutoff 10',
        'loop 1',
        'entered Añ € b',
        'about',
        'closed',
      ]);
      await client.ok('debug_session', { action: 'stop', sessionId });
    },
  );

  itNeeds(
    'stage',
    '[ui.act] a click or key that ends the program is confirmed, with its exit status',
    async () => {
      for (const act of [{ action: 'click' }, { action: 'key', key: 'Return' }]) {
        const { sessionId } = await shown('quits');
        const { text, structured } = await client.ok('debug_ui', {
          ...act,
          sessionId,
          id: 'btn_play',
        });
        expect(textAt(structured, 'done'), text).toBe('confirmed');
        expect(listAt(structured, 'delta')[0]).toBe('the program ended: exited with code 0');
        expect(text).toContain('- [frame "Panel" id=win_panel');
      }
    },
  );

  itNeeds(
    'stage',
    '[ui.act] a click that makes the program write a text as it was is confirmed, one that only prints is sent',
    async () => {
      for (const [word, done, line] of [
        ['same', 'confirmed', '= [label "silent" id=lbl_silent]  written again'],
        ['mute', 'sent', 'nothing that is shown tells of an effect'],
      ] as const) {
        const { sessionId } = await shown(word);
        const click = { action: 'click', sessionId, id: 'btn_play' };
        await client.ok('debug_ui', click);
        const { structured, text } = await client.ok('debug_ui', click);
        expect(textAt(structured, 'done'), text).toBe(done);
        expect(text).toContain(line);
        expect(text).toContain('\nwrote: note 2\n');
        await client.ok('debug_session', { action: 'stop', sessionId });
      }
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
