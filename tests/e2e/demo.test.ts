import { describe, expect, test } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { withStage } from '../support/panel.ts';
import { runStrobe } from '../support/strobe.ts';
import { withHome } from '../support/suite.ts';

describe('strobe demo', () => {
  const home = withHome();

  test('[setup.demo] does the main job, shows every request and answer, and ends with the cause', async () => {
    const place = { env: home.env, cwd: home.project };
    const ended = await runStrobe(place, ['demo'], '', 110_000);
    const story = ended.stdout.toString();
    expect(ended.code, `${story}\n${ended.stderr}`).toBe(0);
    for (const tool of ['debug_launch', 'debug_session', 'debug_trace', 'debug_query']) {
      expect(story).toMatch(new RegExp(`^→ ${tool} \\{.*\\}  \\[≈ \\d+ tokens\\]$`, 'm'));
    }
    const answers = story.match(/^← \[≈ \d+ tokens as text, \d+ as JSON, \d+ ms\]$/gm) ?? [];
    expect(answers.length).toBeGreaterThan(8);
    expect(story).toMatch(/^WHY {2}(?=.*paymentId="tr-\d{6}").*remember\(.*\bwindowMs=45\b/m);
  });

  test('[setup.demo-python] finds the bug of a Python service in at most six calls', async () => {
    const place = { env: home.env, cwd: home.project };
    const ended = await runStrobe(place, ['demo', 'python'], '', 110_000);
    const story = ended.stdout.toString();
    expect(ended.code, `${story}\n${ended.stderr}`).toBe(0);
    expect(story.match(/^→ /gm)?.length).toBeLessThanOrEqual(6);
    expect(story).toMatch(/^WHY {2}.*extras_of\(.*extras=\[\].*\) = \[.*fragile/m);
    expect(story).toMatch(/^but {2}.*rate_for\(.*\) = .*extras=\[.*fragile/m);
  });

  test('[setup.demo-node] finds the bug of a TypeScript service in at most six calls', async () => {
    const place = { env: home.env, cwd: home.project };
    const ended = await runStrobe(place, ['demo', 'node'], '', 110_000);
    const story = ended.stdout.toString();
    expect(ended.code, `${story}\n${ended.stderr}`).toBe(0);
    expect(story.match(/^→ /gm)?.length).toBeLessThanOrEqual(6);
    expect(story).toMatch(/^WHY {2}.*billed\(.*id="T-\d+"/m);
    expect(story).toMatch(/^but {2}.*checkout\(.*id="T-\d+"/m);
  });

  itNeeds(
    'go',
    '[setup.demo-go] finds the bug of a module of Go in at most six calls',
    async () => {
      const place = { env: home.env, cwd: home.project };
      const ended = await runStrobe(place, ['demo', 'go'], '', 110_000);
      const story = ended.stdout.toString();
      expect(ended.code, `${story}\n${ended.stderr}`).toBe(0);
      expect(story.match(/^→ /gm)?.length).toBeLessThanOrEqual(6);
      expect(story).toMatch(/^WHY {2}.*label\(id="A-17", route=\["gate", "scale", "C3"\]\)/m);
      expect(story).toMatch(/^but {2}.*extended\(.*stop="A1"\) = \["gate", "scale", "A1"\]/m);
    },
  );

  itNeeds(
    'till',
    '[setup.demo-ui] finds a bug that only a window shows in at most six calls',
    async () => {
      const place = { env: { ...home.env, ...withStage }, cwd: home.project };
      const ended = await runStrobe(place, ['demo', 'ui'], '', 110_000);
      const story = ended.stdout.toString();
      expect(ended.code, `${story}\n${ended.stderr}`).toBe(0);
      expect(story.match(/^→ /gm)?.length).toBeLessThanOrEqual(6);
      expect(story).toMatch(/^WHY {2}.*euros\(cents=605\) = "6\.5"/m);
      expect(story).toMatch(/^ +seen: no element label "Total 6\.05"/m);
    },
  );

  test('[setup.demo-debug] finds the line that breaks a list in at most five calls', async () => {
    const place = { env: home.env, cwd: home.project };
    const ended = await runStrobe(place, ['demo', 'debug'], '', 110_000);
    const story = ended.stdout.toString();
    expect(ended.code, `${story}\n${ended.stderr}`).toBe(0);
    expect(story.match(/^→ /gm)?.length).toBeLessThanOrEqual(5);
    expect(story).toMatch(/^WHY {2}.*after board_move: .* does not hold/m);
    expect(story).toMatch(/^but {2}.*×1 +player->score = score;/m);
  });

  test('[setup.demo-python] an unknown program is named, with those there are', async () => {
    const place = { env: home.env, cwd: home.project };
    const ended = await runStrobe(place, ['demo', 'pyton'], '', 20_000);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('Did you mean "python"?');
  });
});
