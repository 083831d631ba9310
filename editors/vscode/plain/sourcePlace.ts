import { isAbsolute, join } from 'node:path';

/** A line of a file, counted from 1. */
export interface SourcePlace {
  readonly path: string;
  readonly line: number;
}

/** A place as answers write it, `src/a.c:12` below the session's project; null: it is none. */
export function sourcePlace(text: string, projectRoot: string): SourcePlace | null {
  const [, file = '', line = ''] = /^(.+?):(\d+)(?::\d+)?$/.exec(text) ?? [];
  if (file === '') return null;
  return { path: isAbsolute(file) ? file : join(projectRoot, file), line: Number(line) };
}
