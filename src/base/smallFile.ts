import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** What came of reading a file that should be small; `why` completes the sentence "it …". */
export type SmallFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly why: string };

/**
 * Reads a file that others may have put there: a pipe that nobody writes to, a device or something
 * huge can neither hold up nor fill the reader. A link is followed unless `links` is `refuse`.
 */
export function readSmallFile(
  path: string,
  options: { readonly maxBytes: number; readonly links: 'follow' | 'refuse' },
): SmallFile {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const noFollow = options.links === 'refuse' ? O_NOFOLLOW : 0;
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NONBLOCK | noFollow);
  } catch (error) {
    return failed(error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { kind: 'unusable', why: 'is not a plain file' };
    if (stat.size > options.maxBytes) {
      return { kind: 'unusable', why: `is larger than ${options.maxBytes} bytes` };
    }
    // One byte more: it may grow, and files of /proc say 0.
    const bytes = Buffer.alloc(options.maxBytes + 1);
    let length = 0;
    for (;;) {
      const read = readSync(fd, bytes, length, bytes.length - length, null);
      length += read;
      if (length > options.maxBytes) {
        return { kind: 'unusable', why: `is larger than ${options.maxBytes} bytes` };
      }
      if (read === 0) return { kind: 'text', text: bytes.toString('utf8', 0, length) };
    }
  } catch (error) {
    return failed(error);
  } finally {
    closeSync(fd);
  }
}

function failed(error: unknown): SmallFile {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
  if (code === 'ELOOP') return { kind: 'unusable', why: 'is a symbolic link' };
  return { kind: 'unusable', why: `cannot be read (${String(code ?? error)})` };
}
