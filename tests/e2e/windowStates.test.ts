import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { itNeeds } from '../support/needs.ts';
import { buildStates, withStage } from '../support/panel.ts';
import { partOf, partsOf } from '../support/parts.ts';
import { until } from '../support/processes.ts';
import { textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const parts = ['stage', 'display', 'windowManager'] as const;

describe('the window manager of a stage', () => {
  const { home, client } = withClient(withStage);

  async function shown(more: Readonly<Record<string, unknown>> = {}) {
    const launched = await launch(client, home, buildStates(), { ui: true, ...more });
    await outputSeen(client, launched.sessionId, 'ready');
    return launched;
  }

  async function click(sessionId: string, id: string) {
    const answer = await client.ok('debug_ui', { action: 'click', sessionId, id });
    return { done: textAt(answer.structured, 'done'), text: answer.text };
  }

  async function stop(sessionId: string) {
    await client.ok('debug_session', { action: 'stop', sessionId });
    await until('nothing of the stage is left', () =>
      parts.every((part) => partsOf(home, part).length === 0),
    );
  }

  itNeeds(
    'windowManager',
    '[ui.manager] a window that asks to be fullscreen, maximised or iconified is, and the tree says so',
    async () => {
      const { sessionId, text } = await shown();
      expect(text).not.toContain('window manager');
      for (const [button, state, size] of [
        ['btn_fullscreen', 'fullscreen', '1280x800'],
        ['btn_maximise', 'maximised', '1280x800'],
      ] as const) {
        const asked = await click(sessionId, button);
        expect(asked.done, asked.text).toBe('confirmed');
        expect(asked.text).toContain(`[frame "States" id=win_states ${state}`);
        expect(asked.text).toContain(`\nwrote: States: ${state} focused\n`);
        expect(asked.text).toContain(`\nwrote: States: ${size}\n`);
        const seen = await client.ok('debug_ui', { action: 'screenshot', sessionId });
        expect(seen.text).toContain(`window "States" ${size} at 0,0`);
        expect((await click(sessionId, 'btn_plain')).text).toContain('wrote: States: 300x200\n');
      }
      const small = await click(sessionId, 'btn_iconify');
      expect(small.text).toContain('[frame "States" id=win_states iconified]');
      // It is shown again for what is done in it, which alone is not an effect.
      const back = await click(sessionId, 'btn_plain');
      expect(back.done, back.text).toBe('sent');
      await outputSeen(client, sessionId, 'States: focused');
      const tree = await client.ok('debug_ui', { action: 'tree', sessionId });
      expect(tree.text).toMatch(/\[frame "States" id=win_states( active)?\]/);
      await stop(sessionId);
    },
  );

  itNeeds(
    'windowManager',
    '[ui.manager] a second window has the keyboard and is beside the first; what is clicked brings its window to the front',
    async () => {
      const { sessionId } = await shown();
      const opened = await click(sessionId, 'btn_other');
      expect(opened.text).toContain('+ [frame "Second" id=win_second active]');
      const at = async (window: string) =>
        (await client.ok('debug_ui', { action: 'screenshot', sessionId, window })).text;
      expect(await at('States')).toMatch(/"States" 300x200 at 0,0:/);
      expect(await at('Second')).toMatch(/"Second" 300x200 at (?!0,0)\d+,\d+:/);
      await click(sessionId, 'btn_fullscreen');
      const pressed = await click(sessionId, 'btn_press');
      expect(pressed.text).toContain('\nwrote: pressed\n');
      expect(pressed.text).toContain('[frame "Second" id=win_second active]');
      await stop(sessionId);
    },
  );

  itNeeds(
    'windowManager',
    '[ui.manager] the stage works on where the window manager ends, and the answer says where there is none',
    async () => {
      const { sessionId } = await shown();
      process.kill(partOf(home, 'windowManager'), 'SIGKILL');
      await until('it is gone', () => partsOf(home, 'windowManager').length === 0);
      expect((await click(sessionId, 'btn_other')).text).toContain('[frame "Second"');
      expect((await click(sessionId, 'btn_press')).text).toContain('wrote: pressed\n');
      await stop(sessionId);

      const bare = await shown({ env: { PATH: pathWithoutManager() } });
      expect(bare.text).toMatch(/no window manager: openbox is not installed .*install openbox/);
      const asked = await click(bare.sessionId, 'btn_fullscreen');
      expect(asked.done, asked.text).toBe('sent');
      expect((await click(bare.sessionId, 'btn_other')).text).toContain('[frame "Second"');
      await stop(bare.sessionId);
    },
  );
});

/** A PATH on which a stage finds what it needs, and no window manager. */
function pathWithoutManager(): string {
  const folder = testFolder();
  for (const name of ['Xvfb', 'dbus-daemon']) {
    const { stdout } = spawnSync('which', [name], { env: withStage, encoding: 'utf8' });
    symlinkSync(stdout.trim(), join(folder, name));
  }
  return folder;
}
