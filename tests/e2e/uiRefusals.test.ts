import { describe, expect, vi } from 'vitest';
import { z } from 'zod';
import { itNeeds } from '../support/needs.ts';
import { buildDeaf, buildPanel, withStage } from '../support/panel.ts';
import { numberAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('what cannot be done in a window is refused with the next step', () => {
  const { home, client } = withClient(withStage);

  async function shown(command: string, ...args: readonly string[]) {
    const { sessionId, structured } = await launch(client, home, command, { ui: true, args });
    await outputSeen(client, sessionId, 'ready');
    const asked = (more: object) => ({ sessionId, ...more });
    return {
      pid: numberAt(structured, 'pid'),
      ok: async (more: object) => client.ok('debug_ui', asked(more)),
      refused: async (more: object) => (await client.refused('debug_ui', asked(more))).text,
      /** Runs the call that a refusal proposes. */
      follow: async (text: string) => {
        const [, tool = '', given = ''] = /(debug_\w+) (\{.*\})/.exec(text) ?? [];
        const proposed = z.record(z.string(), z.unknown()).parse(JSON.parse(given));
        return await client.ok(tool, { sessionId, ...proposed });
      },
    };
  }

  itNeeds(
    'stage',
    '[ui.act] a disabled element, one that a menu covers, and one behind a dialog',
    async () => {
      const { ok, refused, follow } = await shown(buildPanel());
      await ok({ action: 'tree' });
      const disabled = await refused({ action: 'click', id: 'btn_record' });
      expect(disabled).toMatch(/^NOT_ACTIONABLE: btn_record is disabled/);
      expect((await follow(disabled)).text).toContain('step 1 of 1 failed');

      await ok({ action: 'click', id: 'cmb_saw' });
      const covered = await refused({ action: 'click', id: 'txt1' });
      expect(covered).toMatch(/^NOT_ACTIONABLE: A menu or tool tip of \d+x\d+ pixels covers/);
      expect((await follow(covered)).text).toContain('- [menu item "Noise"');
      await ok({ action: 'click', id: 'cmb_saw' });
      const beside = await ok({ action: 'click', id: 'chk_loop' });
      expect(textAt(beside.structured, 'done'), beside.text).toBe('sent');
      const again = await ok({ action: 'click', id: 'chk_loop' });
      expect(textAt(again.structured, 'done'), again.text).toBe('confirmed');

      await ok({ action: 'click', id: 'btn_about' });
      const behind = await refused({ action: 'click', id: 'btn_play' });
      expect(behind).toMatch(/^NOT_ACTIONABLE: .*"About Panel".* is in front/);
      expect((await follow(behind)).text).toContain('[button "Close" id=btn_close');
    },
  );

  itNeeds(
    'stage',
    '[ui.tree] a stopped program, and a program that publishes no elements',
    async () => {
      const { pid, ok, refused, follow } = await shown(buildPanel());
      await ok({ action: 'tree' });
      process.kill(pid, 'SIGSTOP');
      try {
        const stopped = await refused({ action: 'click', id: 'btn_play' });
        expect(stopped).toMatch(/^TIMED_OUT: The program did not answer in \d+ ms: it is stopped/);
        expect((await follow(stopped)).images).toHaveLength(1);
        const marked = await ok({ action: 'screenshot', annotate: true });
        expect(marked.text).toMatch(/! The program does not answer: the ids are those of .+ ago\./);
        expect(numberAt(marked.structured, 'idsAgeMs')).toBeGreaterThan(0);
        expect(marked.images).toHaveLength(1);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      const silent = ['-c', 'NO_AT_BRIDGE=1 exec "$0" bare', buildPanel()];
      const mute = await shown('/bin/sh', ...silent);
      const none = await mute.refused({ action: 'tree' });
      expect(none).toMatch(/^NO_WINDOW: The program publishes no elements/);
      expect((await mute.follow(none)).images).toHaveLength(1);
    },
  );

  itNeeds(
    'qt5',
    '[ui.tree] a program that stops answering while it is read shows no part of itself as the whole',
    async () => {
      const { refused } = await shown(buildDeaf());
      expect(await refused({ action: 'tree' })).toMatch(/^TIMED_OUT: The program did not answer/);
    },
  );

  itNeeds('qt5', '[ui.tree] a program that ends while it is read', async () => {
    const { refused } = await shown(buildDeaf(), 'dies');
    expect(await refused({ action: 'tree' })).toMatch(/^(NO_WINDOW: The program.*ended|SESSION_)/);
  });

  itNeeds('qt5', '[ui.tree] rows beyond those that are read are counted', async () => {
    const { ok } = await shown(buildDeaf(), 'rows');
    const { text, structured } = await ok({ action: 'tree' });
    expect(numberAt(structured, 'unread'), text).toBe(100);
    expect(text).toContain('100 more are not read: 200 of a list');
  });
});
