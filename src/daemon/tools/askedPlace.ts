import type { ProbeWhere } from '../../model/probes/probe.ts';

/** What a bare text means: `file.c:22`, else a function. */
export function placeOf(text: string): ProbeWhere {
  if (/^0x[0-9a-f]{1,16}$/i.test(text)) return { kind: 'address', address: text };
  const [, file, line] = /^(.+):(\d+)$/.exec(text) ?? [];
  return file === undefined
    ? { kind: 'function', pattern: text }
    : { kind: 'line', file, line: Number(line) };
}
