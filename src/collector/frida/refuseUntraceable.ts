import { open, type FileHandle } from 'node:fs/promises';
import { StrobeError } from '../../model/errors.ts';
import { readElfHeader } from '../program/elfHeader.ts';

/** Where the names a program imports or exports are looked for. */
const NAMES_BYTES = 4 << 20;

/**
 * Programs that attaching would kill. STATIC_PROGRAM: without a dynamic loader.
 * INSTRUMENTATION_FAILED: its thread sanitizer has no allocator for threads that were begun without it.
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
        `Process ${pid} runs a program built with -fsanitize=thread, whose sanitizer ends it when a thread that it did not see begin, as the tracing agent's, asks for memory.`,
        'To trace it, build it without -fsanitize=thread (address and undefined may stay); launched, it runs untraced with output, reports and exit recorded.',
      );
    }
  } finally {
    await file.close();
  }
}

/** As a whole string of a string table. */
async function namesSymbol(file: FileHandle, name: string): Promise<boolean> {
  const { size } = await file.stat();
  const bytes = Buffer.allocUnsafe(Math.min(size, NAMES_BYTES));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
  return bytes.subarray(0, bytesRead).includes(`\0${name}\0`, 0, 'latin1');
}
