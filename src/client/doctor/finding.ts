import { readdirSync, readFileSync } from 'node:fs';
import { runProgram } from '../../base/process.ts';

/** A line of the doctor. `problem`: Strobe cannot do its main job; `warning`: it works, with a limit. */
export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'problem';
  /** What is there; of a warning or problem also the cure. */
  readonly detail: string;
}

const probeMs = 10_000;

/** What a program prints; null: it cannot be started, or fails. */
export async function said(command: string, args: readonly string[]): Promise<string | null> {
  try {
    const result = await runProgram({ command, args }, { limitMs: probeMs });
    return result.code === 0 ? result.stdout.toString().trim() : null;
  } catch {
    return null; // it cannot be started
  }
}

/** The text of a small file; null: it is not on this system. */
export function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null; // not on this system
  }
}

/** Names in a folder; none where it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it does not exist
  }
}
