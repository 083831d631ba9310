import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { testFrameworks, testLevels } from '../../model/tests/testReport.ts';
import { adapters } from '../../testing/adapters.ts';
import type { TestRunFacts } from './testRunFacts.ts';

const texts = z.array(z.string());
const path = z.string().nullable();

const factsFile = z.object({
  pid: z.number(),
  id: z.string(),
  projectRoot: z.string(),
  adapter: z.enum(testFrameworks),
  reasons: texts,
  owner: z.string(),
  startedAtMs: z.number(),
  folder: z.string(),
  request: z.object({
    purpose: z.enum(['run', 'list', 'build']),
    projectRoot: z.string(),
    command: path,
    file: path,
    tests: z.array(z.object({ id: z.string(), name: z.string(), file: path })).nullable(),
    level: z.enum(testLevels).nullable(),
    reportFolder: z.string(),
    reporters: z.string(),
  }),
  plan: z.object({
    command: z.string(),
    args: texts,
    cwd: z.string(),
    report: path,
    typed: texts,
    notes: texts,
    earlier: z.record(z.string(), z.number()).exactOptional(),
  }),
  limitMs: z.number().nullable(),
});

/** Leaves what the next daemon needs to go on with the run. Environments stay in memory. */
export async function writeFacts(facts: TestRunFacts, pid: number): Promise<void> {
  const body = JSON.stringify({
    ...facts,
    adapter: facts.adapter.name,
    request: { ...facts.request, env: undefined },
    plan: { ...facts.plan, env: undefined },
    pid,
  });
  await writeFile(join(facts.folder, 'run.json'), body, { mode: 0o600 });
}

/** What an earlier daemon left of a run, and its runner's pid; null when that cannot be read. */
export async function readFacts(
  folder: string,
): Promise<{ readonly facts: TestRunFacts; readonly pid: number } | null> {
  try {
    const left = factsFile.parse(JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')));
    const { pid, adapter, request, plan, ...rest } = left;
    const facts: TestRunFacts = {
      ...rest,
      adapter: adapters[adapter],
      request: { ...request, env: {} },
      plan: { ...plan, env: {} },
    };
    return { facts, pid };
  } catch {
    return null; // Written by another version, or never.
  }
}
