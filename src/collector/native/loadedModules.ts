import { appendFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { stampOf } from '../../base/paths.ts';
import type { LoadedModule } from '../../protocol/agent.ts';

const line = z.object({
  path: z.string(),
  /** Hexadecimal. */
  base: z.string(),
  size: z.number(),
  stamp: z.string(),
});

/** A file as it lay in a process of the session; `stamp`: which version of it. */
export type KeptModule = z.infer<typeof line>;

function fileOf(storePath: string): string {
  return join(dirname(storePath), 'modules.jsonl');
}

/** Leaves beside a session's store where files lie in a process, so that addresses can be named later. */
export async function keepModules(
  storePath: string,
  modules: readonly LoadedModule[],
): Promise<void> {
  let text = '';
  for (const { path, base, size } of modules) {
    const stamp = await stampOf(path);
    if (stamp !== null) text += `${JSON.stringify({ path, base, size, stamp })}\n`;
  }
  await appendFile(fileOf(storePath), text, { mode: 0o600 });
}

/** What was kept; what cannot be read is left out. */
export async function readModules(storePath: string): Promise<KeptModule[]> {
  const text = await readFile(fileOf(storePath), 'utf8').catch(() => '');
  return text.split('\n').flatMap((one) => {
    try {
      return [line.parse(JSON.parse(one))];
    } catch {
      return []; // The last line may be half written.
    }
  });
}
