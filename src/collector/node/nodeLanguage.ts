import type { WireExpression } from '../../protocol/nodeTracer.ts';
import type { TracedLanguage } from '../source/sourceSession.ts';
import { compileNodeProbe, compileNodeWatch, whyNodeUndecided } from './nodeCondition.ts';
import type { NodeParts } from './nodeParts.ts';
import { holdsAddons } from './ownAddons.ts';
import { programOf } from './nodeProgram.ts';
import type { OwnLinks } from './ownLinks.ts';
import { NodeProcess } from './nodeProcess.ts';
import type { NodeStops } from './nodeStops.ts';
import type { RewriteSocket } from './rewriteSocket.ts';
import { WishFiles } from './wishFiles.ts';

const constants = ['undefined', 'NaN', 'Infinity', 'this'];
/** Of a breakpoint of V8 whose condition records, whether it is met or not. */
const COST = '0.1 ms a hit';

/** Of a call that is written into the text, met or not (bench/nodeBreakpoints.bench.mjs). */
const WRITTEN_COST = '2 µs a hit';

const sources = /(?<!\.d)\.[cm]?[jt]sx?$/;

/** JavaScript and TypeScript in Node. */
export function nodeLanguage(
  parts: NodeParts,
  service: RewriteSocket,
  links: OwnLinks,
  stops: NodeStops,
): TracedLanguage<WireExpression> {
  const wishFiles = new WishFiles();
  let hasAddons: boolean | null = null;
  return {
    name: 'JavaScript',
    type: 'javascript',
    constants,
    compile: compileNodeWatch,
    whyUndecided: whyNodeUndecided,
    isSource: (name) => sources.test(name),
    probed: {
      means: 'v8',
      cost: COST,
      written: { means: 'rewrite', cost: WRITTEN_COST },
      constants,
      statements: (file) => parts.statements(file),
      find: (units, pattern, projectRoot) => parts.find(units, pattern, projectRoot),
      compile: compileNodeProbe,
    },
    standing: { compile: compileNodeProbe, literal: (value) => JSON.stringify(value) },
    raised: 'js',
    async entersAlone(image, { projectRoot }) {
      hasAddons ??= holdsAddons(projectRoot);
      return !hasAddons && (await programOf(image)) === 'node';
    },
    comeAlone: (pid, sink) => links.expect(pid, sink),
    async enter(entry, { projectRoot, limits }) {
      const servicePath = await service.open();
      return await NodeProcess.enter(entry, {
        parts,
        linkPath: await links.open(),
        servicePath,
        projectRoot,
        wishFiles,
        stops,
        secretNames: limits.secretNames,
      });
    },
  };
}
