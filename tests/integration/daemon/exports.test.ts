import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { installPaths } from '../../../src/base/installPaths.ts';
import { Exports, type ExportStart } from '../../../src/daemon/export/exports.ts';
import { removeDrafts, WrittenFile } from '../../../src/daemon/export/writtenFile.ts';
import { RandomSession, TemporaryFolder } from '../db/randomSession.ts';

const { exportWorker } = installPaths();
const never = new AbortController().signal;
const onProgress = (): void => undefined;

/** A session in a folder of its own, and how an export of it is started. */
function prepared(folder: TemporaryFolder): { start: () => ExportStart; started: () => number } {
  using session = new RandomSession(folder.file('s.db'), 4);
  for (let i = 0; i < 20; i++) session.step(300);
  session.commit();
  let started = 0;
  const about = {
    sessionId: 'r',
    command: ['r'],
    pid: 1,
    strobe: '0',
    filters: {},
    sampled: 0,
    lost: {},
    notes: [],
    startedAt: '',
    startedAtMs: 0,
    knownUntil: session.time,
  };
  const start = (): ExportStart => {
    started++;
    return {
      job: {
        storePath: folder.file('s.db'),
        format: 'jsonl',
        filter: {},
        eventTypes: ['call'],
        until: session.time,
        about,
      },
      file: WrittenFile.inFolder(folder.file('out'), 'r', 'jsonl'),
      collector: null,
    };
  };
  return { start, started: () => started };
}

test('[export.long] an export goes on while nobody waits, and the same request waits for it', async () => {
  using folder = new TemporaryFolder();
  const { start, started } = prepared(folder);
  const exports = new Exports(exportWorker);
  const first = await exports.ask('one', start, { waitMs: 0, signal: never, onProgress });
  expect(first.kind).toBe('running');
  expect(exports.anyRunning).toBe(true);
  const [second, third] = await Promise.all([
    exports.ask('one', start, { waitMs: 60_000, signal: never, onProgress }),
    exports.ask('one', start, { waitMs: 60_000, signal: never, onProgress }),
  ]);
  if (second.kind !== 'written' || third.kind !== 'written') throw new Error('it did not end');
  expect(third.result).toEqual(second.result);
  expect(started()).toBe(1);
  expect(readdirSync(folder.file('out'))).toEqual(['r.jsonl']);
  const lines = readFileSync(second.path ?? '', 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(second.result.totals.calls + 2);
  expect(second.result.bytes).toBe(readFileSync(second.path ?? '').length);
  await exports.close();
});

test('[export.long] a cancelled export leaves nothing, unless somebody else waits for it', async () => {
  using folder = new TemporaryFolder();
  const { start, started } = prepared(folder);
  const exports = new Exports(exportWorker);
  const cancel = new AbortController();
  const alone = exports.ask('a', start, { waitMs: 60_000, signal: cancel.signal, onProgress });
  cancel.abort();
  await expect(alone).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(exports.anyRunning).toBe(false);
  expect(readdirSync(folder.file('out'))).toEqual([]);

  const leaving = new AbortController();
  const gone = exports.ask('b', start, { waitMs: 60_000, signal: leaving.signal, onProgress });
  const stays = exports.ask('b', start, { waitMs: 60_000, signal: never, onProgress });
  leaving.abort();
  await expect(gone).rejects.toMatchObject({ code: 'CANCELLED' });
  expect((await stays).kind).toBe('written');
  expect(started()).toBe(2);

  void exports.ask('c', start, { waitMs: 60_000, signal: never, onProgress }).catch(onProgress);
  await exports.close();
  expect(readdirSync(folder.file('out'))).toEqual(['r.jsonl']);
});

test('what cannot be written is told, and nothing of it is left', async () => {
  using folder = new TemporaryFolder();
  const { start } = prepared(folder);
  const exports = new Exports(exportWorker);
  const broken = (): ExportStart => {
    const good = start();
    return { ...good, job: { ...good.job, filter: { function: { matches: '(' } } } };
  };
  const wait = { waitMs: 60_000, signal: never, onProgress };
  await expect(exports.ask('x', broken, wait)).rejects.toMatchObject({ code: 'BAD_REGEX' });
  expect(readdirSync(folder.file('out'))).toEqual([]);
  await exports.close();
});

test('[export.path] what a daemon had not finished when it died is removed by the next one, and nothing else', () => {
  using folder = new TemporaryFolder();
  const [drafts, project] = [folder.file('drafts'), folder.file('project')];
  for (const path of [drafts, project]) mkdirSync(path);
  const places = { from: project, folders: [project], drafts };
  const written = WrittenFile.at('whole.csv', places, null);
  written.publish();
  written.discard();
  const left = WrittenFile.at('half.csv', places, null);
  // As SQLite does on a full disk.
  writeFileSync(`${left.temporary}-journal`, '');
  const draft = basename(left.temporary);
  expect(readdirSync(project)).toEqual([draft, `${draft}-journal`, 'whole.csv']);
  removeDrafts(drafts);
  expect(readdirSync(project)).toEqual(['whole.csv']);
  expect(readdirSync(drafts)).toEqual([]);
});
