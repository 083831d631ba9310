import { placesWith } from '../../collector/look/processPlaces.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { PatternMatch } from '../../model/functions/traceable.ts';
import type { Instruments } from './instruments.ts';
import type { SessionFacts, SessionParts } from '../session/sessionFacts.ts';
import type { WatchParts } from './sessionWatches.ts';
import type { StrobeError } from '../../model/errors.ts';
import type { PatternRequest } from './patternRequest.ts';
import { WriteWatches, type WritesTarget } from './writeWatches.ts';

/** What is asked of the session. */
interface WatchedTarget extends Pick<WritesTarget, 'index' | 'note'> {
  running(): { readonly pid: number } | null;
  /** What is thrown when nothing runs any more. */
  ended(): StrobeError;
  children(): readonly { readonly pid: number }[];
}

/** What of a session's tracing its watches are made of. */
interface Tracing {
  readonly facts: SessionFacts;
  readonly services: SessionParts;
  readonly target: WatchedTarget;
  readonly instruments: Pick<Instruments, 'modules' | 'setWatches' | 'hookedAt'>;
  /** Those of the program and its own libraries. */
  own(modules: readonly string[]): string[];
  wanted(): readonly FoundFunction[];
  /** Applies the watches once more, in the background. */
  again(): void;
  find(request: PatternRequest): Promise<PatternMatch<FoundFunction>>;
}

export function watchParts({ facts, services, target, ...tracing }: Tracing): WatchParts {
  const { instruments } = tracing;
  const writes = new WriteWatches(facts, services, {
    index: () => target.index(),
    note: (text) => target.note(text),
    again: () => tracing.again(),
    hookedAt: (pid) => instruments.hookedAt(pid),
  });
  return {
    secretNames: facts.limits.secretNames,
    find: (request) => tracing.find(request),
    async variables(name, depth) {
      const traced = tracing.wanted().map(({ unit }) => unit);
      const own = tracing.own([facts.image, ...instruments.modules()]);
      return await services.symbols.variables([...new Set([...own, ...traced])], name, depth);
    },
    async announce(watches) {
      const index = target.index();
      if (!index) throw target.ended();
      await index.defineWatches(watches);
    },
    placesIn(modules) {
      const running = target.running();
      if (!running) return null;
      const pids = [running.pid, ...target.children().map(({ pid }) => pid)];
      return placesWith(modules, pids);
    },
    writes,
    sample: (watches, only) => instruments.setWatches(watches, only),
  };
}
