import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settingsSchema } from '../../../src/protocol/settings.ts';
import { loadSettings } from '../../../src/daemon/settings.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'settings-'));
  mkdirSync(join(folder, '.strobe'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function load(files: { home?: string; project?: string; env?: Record<string, string> }) {
  const homeFile = join(folder, 'settings.json');
  writeFileSync(homeFile, files.home ?? '{}');
  writeFileSync(join(folder, '.strobe', 'settings.json'), files.project ?? '{}');
  return loadSettings({ homeFile, projectRoot: folder, env: files.env ?? {} });
}

test('[settings.layers] home, then project, then environment', () => {
  const { value, problems } = load({
    home: '{"events.maxPerSession": 50000, "answer.budget": 3000, "ring.slots": 64}',
    project: '{"events.maxPerSession": 20000, "ring.slots": 32}',
    env: { STROBE_RING_SLOTS: '16', STROBE_LOG: 'rpc=debug' },
  });
  expect(problems).toEqual([]);
  expect([value['events.maxPerSession'], value['answer.budget'], value['ring.slots']]).toEqual([
    20_000, 3000, 16,
  ]);
  expect([value['log.levels'], value['daemon.idleMinutes']]).toEqual(['rpc=debug', 30]);
});

test('[settings.layers] unknown names are reported with the nearest one', () => {
  const { problems } = load({ home: '{"events.maxPerSesion": 1}' });
  expect(problems.map((problem) => [problem.code, problem.subject])).toEqual([
    ['BAD_SETTING', 'events.maxPerSesion'],
  ]);
  expect(problems[0]?.detail).toContain('did you mean "events.maxPerSession"?');
});

test('a project may only lower limits, and never set what concerns the machine', () => {
  const { value, problems } = load({
    home: '{"ring.slots": 64}',
    project:
      '{"ring.slots": 65, "frida.python": "/tmp/evil", "retention.days": 0, "log.levels": "error", "answer.budget": 500}',
  });
  expect(problems.map((problem) => problem.subject)).toEqual([
    'retention.days',
    'ring.slots',
    'answer.budget',
    'frida.python',
    'log.levels',
  ]);
  expect([value['ring.slots'], value['frida.python'], value['retention.days']]).toEqual([
    64,
    'python3',
    7,
  ]);
});

test.each([
  ['{', /not a JSON object/],
  ['[]', /not a JSON object/],
  ['{"ring.bytesPerThread": 100000}', /power of two/],
  ['{"answer.budget": "many"}', /expected number/],
])('%s has no effect and is reported', (home, detail) => {
  const { value, problems } = load({ home });
  expect(problems[0]?.detail).toMatch(detail);
  expect(value).toEqual(settingsSchema.parse({}));
});
