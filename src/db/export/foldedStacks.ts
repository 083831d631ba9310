import { ContextWriter, type CallContext } from './callContexts.ts';
import type { ExportFormat } from './port.ts';

/**
 * A line for each chain of callers: `thread;main;load;read 1200`, with the nanoseconds spent at
 * its end. The format has no place for remarks: what it leaves out is in the answer alone.
 */
export const foldedStacks: ExportFormat = {
  name: 'folded',
  extension: 'folded',
  mediaType: 'text/plain',
  order: 'thread',
  holdsEvents: false,
  holdsWatched: false,
  endsOpen: true,
  begins: /^(?:[^\n]*;[^\n]* \d+\n|$)/,
  shownBy: 'flamegraph.pl, inferno or speedscope',
  isForBrowsers: false,
  open: (about) => new FoldedStacks(about),
};

class FoldedStacks extends ContextWriter {
  *end(): Generator<string> {
    for (const root of this.contexts.roots) yield* lines(root, '');
  }
}

function* lines({ name, selfNs, children }: CallContext, above: string): Generator<string> {
  const stack = `${above}${plainFrame(name)}`;
  if (selfNs > 0) yield `${stack} ${selfNs}\n`;
  for (const child of children.values()) yield* lines(child, `${stack};`);
}

/** Semicolons part frames, line ends part stacks. */
function plainFrame(name: string): string {
  // oxlint-disable-next-line no-control-regex -- names come from the target.
  const plain = name.replaceAll(/[;\u0000-\u001f]/g, '_');
  return plain === '' ? '(unnamed)' : plain;
}
