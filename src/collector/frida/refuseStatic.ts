import { open } from 'node:fs/promises';
import { StrobeError } from '../../model/errors.ts';
import { readElfHeader } from '../launch/elfHeader.ts';

/** STATIC_PROGRAM for a process without a dynamic loader: attaching Frida to one kills it. */
export async function refuseStatic(pid: number): Promise<void> {
  const file = await open(`/proc/${pid}/exe`, 'r').catch(() => null);
  if (!file) return; // attaching tells better why the process cannot be reached
  try {
    const elf = await readElfHeader(file);
    if (elf && elf.loader === null) {
      throw new StrobeError('STATIC_PROGRAM', `Process ${pid} runs a statically linked program.`);
    }
  } finally {
    await file.close();
  }
}
