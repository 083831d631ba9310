import type { RewriteRequest } from './nodeTracer.ts';

/**
 * Answers of the service that rewrites modules are kept in a file of the home, behind each other. The daemon writes it;
 * a traced process reads it before it asks. `npm run generate` hands this to native/node (contract.h).
 *
 * A record: key · u32 bytes of the sources · u32 bytes of the answer · sources · answer · key. The key is the SHA-1 of
 * `answerHead` and the text, in hexadecimal; without its second the record was not written to its end. Sources are the
 * files beside the text that the answer is of: for each the time of its last change in ns as digits, none where it is not
 * there, NUL, its path, NUL.
 *
 * The other file says where records are: slots of two u32, place in the file + 1 and a part of the key.
 * The first digits of a key (`slotDigits`) are the number of the slot from which on `probes` of them may have it, the next
 * eight are the part of it. Answers of another form have other files.
 */
export const keptAnswers = {
  folder: 'cache/javascript',
  records: 'answers.6',
  places: 'places.6',
  keyBytes: 40,
  slotDigits: 4,
  probes: 16,
} as const;

/** What beside the text decides how a module is rewritten. */
export function answerHead(
  request: Pick<RewriteRequest, 'path' | 'text' | 'isLive' | 'mapFor' | 'probes'> & {
    readonly format: string;
  },
): string {
  const { path, text, format, isLive = false, mapFor, probes } = request;
  const { records } = keptAnswers;
  // A map names its file, and its sources by their way from there.
  const isOfPath = mapFor !== undefined || text.includes('sourceMappingURL=');
  return [
    `${records} ${format} ${isLive ? 'live ' : ''}${endingOf(path)}`,
    probes === undefined ? '' : JSON.stringify(probes),
    mapFor === undefined ? '' : String(mapFor),
    isOfPath ? path : '',
    '',
  ].join('\n');
}

function endingOf(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') ? path.slice(dot) : '';
}
