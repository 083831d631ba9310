import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { testFolder } from '../../support/folder.ts';
import { packageRoot } from '../../support/strobe.ts';
import { settingsSchema } from '../../../src/protocol/settingsSchema.ts';
import { loadSettings } from '../../../src/daemon/settings.ts';

let folder: string;
beforeEach(() => {
  folder = testFolder();
  mkdirSync(join(folder, '.strobe'));
});

function load(files: {
  home?: string | undefined;
  project?: string | undefined;
  env?: Record<string, string>;
}) {
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

test('[settings.project] a project may only lower limits, and never set what concerns the machine', () => {
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
  ['{\n"ring.slots": 3,\n}', /not a JSON object \(line 3\)/],
  ['{"ring.bytesPerThread": 100000}', /power of two; it is 1073741824$/],
  ['{\n\n"answer.budget": "many"}', /settings\.json:3: .*expected number.*; it is 2000$/],
  ['{"redaction.names": ["Pass Word"]}', /lower-case words/],
  ['{"__proto__": {"ring.slots": 5}}', /no such setting/],
])('[settings.wrong] %s has no effect and is reported', (home, detail) => {
  const { value, problems } = load({ home });
  expect(problems[0]?.detail).toMatch(detail);
  expect(value).toEqual(settingsSchema.parse({}));
});

test('[settings.wrong] a wrong variable is told by its name, an unknown one with the nearest', () => {
  const env = { STROBE_RING_SLOTS: 'many', STROBE_RETENTON_DAYS: '1', STROBE_HOME: '/x' };
  const { value, problems } = load({ env });
  expect(problems.map(({ subject, detail }) => `${subject} ${detail}`)).toEqual([
    expect.stringMatching(/^ring\.slots STROBE_RING_SLOTS: .*; it is 128$/),
    expect.stringMatching(/^STROBE_RETENTON_DAYS .*did you mean "STROBE_RETENTION_DAYS"\?/),
  ]);
  expect(value).toEqual(settingsSchema.parse({}));
});

test('[settings.project] a project may add to a list, never shorten it', () => {
  const { value, problems } = load({
    home: '{"redaction.names": ["password"]}',
    project: '{"redaction.names": ["patient id"]}',
  });
  expect(problems).toEqual([]);
  expect(value['redaction.names']).toEqual(['password', 'patient id']);
  const listed = load({ env: { STROBE_REDACTION_NAMES: 'token, api key' } });
  expect(listed.value['redaction.names']).toEqual(['token', 'api key']);
});

test('[settings.project] a project’s file that is a pipe, a device, a link or huge neither hangs nor is read', () => {
  const file = join(folder, '.strobe', 'settings.json');
  const plants: [RegExp, () => void][] = [
    [/is not a plain file/, () => void execFileSync('mkfifo', [file])],
    [/is not a plain file/, () => mkdirSync(file)],
    [/is a symbolic link/, () => symlinkSync('/dev/zero', file)],
    [/is a symbolic link/, () => symlinkSync('/etc/passwd', file)],
    [/is larger than/, () => writeFileSync(file, ' '.repeat((1 << 20) + 1))],
  ];
  for (const [why, plant] of plants) {
    rmSync(file, { recursive: true, force: true });
    plant();
    const places = { homeFile: '/nowhere', projectRoot: folder, env: {} };
    const { value, problems } = loadSettings(places);
    expect(problems.map(({ detail }) => detail)).toEqual([expect.stringMatching(why)]);
    expect(value).toEqual(settingsSchema.parse({}));
  }
});

test('[settings.project] the folder above the home of Strobe is no project of its own', () => {
  const homeFile = join(folder, '.strobe', 'settings.json');
  writeFileSync(homeFile, '{"retention.days": 3, "ring.slots": 64}');
  const { value, problems } = loadSettings({ homeFile, projectRoot: folder, env: {} });
  expect(problems).toEqual([]);
  expect([value['retention.days'], value['ring.slots']]).toEqual([3, 64]);
});

test('[settings.schema] the generated schema accepts the examples of the page and refuses what the loader refuses', () => {
  const json: unknown = JSON.parse(readFileSync(join(packageRoot, 'settings.schema.json'), 'utf8'));
  const schema = z.fromJSONSchema(z.record(z.string(), z.json()).parse(json));
  const page = readFileSync(join(packageRoot, 'docs', 'settings.md'), 'utf8');
  const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => text ?? '');
  expect(examples).toHaveLength(2);
  for (const text of examples) expect(schema.safeParse(JSON.parse(text)).success).toBe(true);
  const [own, project] = examples;
  expect(load({ home: own, project }).problems).toEqual([]);
  for (const text of ['{"ring.slot": 1}', '{"ring.slots": "1"}', '{"log.levels": "loud"}']) {
    expect(schema.safeParse(JSON.parse(text)).success).toBe(false);
    expect(load({ home: text }).problems).toHaveLength(1);
  }
});
