import { closeSync, openSync, writeSync } from 'node:fs';
import { ClientError } from '../clientError.ts';
import type { Output } from '../toolCommand.ts';

/** Where `strobe run` tells what it has to tell. */
export interface RunReport {
  readonly isFile: boolean;
  write(text: string): void;
  /** Whether all could be written. */
  close(): boolean;
}

/** Standard error, or a file: opened before the program runs, so that a wrong name costs no run. */
export function openReport(file: string | null, output: Output): RunReport {
  if (file === null) return { isFile: false, write: output.err, close: () => true };
  const descriptor = opened(file);
  let isWhole = true;
  return {
    isFile: true,
    write(text) {
      try {
        writeSync(descriptor, text);
      } catch (error) {
        if (isWhole) output.err(`strobe: ${file} cannot be written: ${reasonOf(error)}\n`);
        isWhole = false;
      }
    },
    close() {
      closeSync(descriptor);
      return isWhole;
    },
  };
}

function opened(file: string): number {
  try {
    return openSync(file, 'w', 0o666);
  } catch (error) {
    throw new ClientError(
      'EXPORT_FAILED',
      `${file} cannot be written: ${reasonOf(error)}`,
      'Give another file.',
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
