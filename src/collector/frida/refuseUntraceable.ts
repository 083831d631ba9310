import { open, type FileHandle } from 'node:fs/promises';
import { StrobeError } from '../../model/errors.ts';
import { readElfHeader } from '../launch/elfHeader.ts';

/** Where the names a program imports or exports are looked for. */
const NAMES_BYTES = 4 << 20;

/**
 * Programs that attaching would kill. STATIC_PROGRAM: without a dynamic loader.
 * INSTRUMENTATION_FAILED: its thread sanitizer crashes in threads it does not know.
 */
export async function refuseUntraceable(pid: number): Promise<void> {
  const file = await open(`/proc/${pid}/exe`, 'r').catch(() => null);
  if (!file) return; // attaching tells better why the process cannot be reached
  try {
    const elf = await readElfHeader(file);
    if (elf && elf.loader === null) {
      throw new StrobeError('STATIC_PROGRAM', `Process ${pid} runs a statically linked program.`);
    }
    if (await namesSymbol(file, '__tsan_init')) {
      throw new StrobeError(
        'INSTRUMENTATION_FAILED',
        `Process ${pid} runs a program built with -fsanitize=thread, which crashes in threads that its sanitizer does not know, as the tracing agent's are.`,
        'Build it without -fsanitize=thread to trace it.',
      );
    }
  } finally {
    await file.close();
  }
}

/** As a whole string of a string table. */
async function namesSymbol(file: FileHandle, name: string): Promise<boolean> {
  const bytes = Buffer.alloc(NAMES_BYTES);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
  return bytes.subarray(0, bytesRead).includes(`\0${name}\0`, 0, 'latin1');
}
