import { randomInt } from 'node:crypto';
import { basename } from 'node:path';
import { wallMs } from '../../base/clock.ts';
import { sessionId, type SessionId } from '../../model/ids.ts';

/** No look-alikes: ids are read aloud and typed. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const SUFFIX_LENGTH = 4;

/** `myapp-2026-02-05-14h32-k7f2`: readable, and unguessable enough beside a 0700 folder. */
export function newSessionId(command: string): SessionId {
  const stem =
    basename(command)
      .replace(/[^A-Za-z0-9_.-]+/g, '-')
      .slice(0, 24) || 'program';
  const now = new Date(wallMs());
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  let suffix = '';
  for (let i = 0; i < SUFFIX_LENGTH; i++) suffix += LETTERS[randomInt(LETTERS.length)] ?? 'x';
  return sessionId(`${stem}-${day}-${two(now.getHours())}h${two(now.getMinutes())}-${suffix}`);
}
