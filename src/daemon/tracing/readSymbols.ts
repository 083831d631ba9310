import type { FirstMatches } from '../../model/functions/traceable.ts';
import { grouped } from '../report/text/groupedNumber.ts';
import type { RequestContext } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { OpenerParts } from '../session/newSession.ts';
import type { PatternRequest } from './patternRequest.ts';

const longestName = 60;

/**
 * Of a large program this takes seconds; as long as the program waits for it, it is told how far it is, and what the
 * symbol table alone says of the patterns: a word that was misspelt is seen early. Nothing is armed by that.
 */
export async function readSymbols(
  services: OpenerParts,
  session: LiveSession,
  patterns: readonly PatternRequest[],
  context: RequestContext,
): Promise<void> {
  let told = 0;
  let first = '';
  const tell = (): void => {
    const doing = `reading symbols, ${told * 10} % done${first}`;
    if (session.setDoing(doing)) context.progress(doing);
  };
  const listener = {
    progress: (share: number) => {
      const tenths = Math.floor(share * 10);
      if (tenths <= told) return;
      told = tenths;
      tell();
    },
    firstMatches: (matches: readonly FirstMatches[]) => {
      first = textOf(matches);
      if (first !== '') tell();
    },
  };
  const { image } = session.facts;
  const parsed = patterns.map(({ pattern }) => pattern);
  const claims = await services.runtimes.claimsOf(image);
  const isEngine = services.runtimes.isEngine(image);
  const read = claims.filter(({ runtime: one }) => !isEngine || one.tracers.ownsImage);
  for (const { runtime } of read)
    session.tracing.symbols.note(await runtime.resolver.open(image, parsed, listener));
}

function textOf(matches: readonly FirstMatches[]): string {
  const said = matches.map(({ pattern, count, names }) => {
    const short = names.map((name) =>
      name.length > longestName ? `${name.slice(0, longestName)}…` : name,
    );
    return `${grouped(count)} of ${pattern} (${short.join(', ')}${count > names.length ? ', …' : ''})`;
  });
  return said.length === 0 ? '' : `; in the symbol table so far: ${said.join('; ')}`;
}
