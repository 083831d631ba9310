import type { WireExpression } from '../../protocol/nodeTracer.ts';
import type { TracedLanguage } from '../source/sourceSession.ts';
import { compileNodeWatch, whyNodeUndecided } from './nodeCondition.ts';
import type { NodeParts } from './nodeParts.ts';
import { NodeProcess } from './nodeProcess.ts';
import type { RewriteSocket } from './rewriteSocket.ts';

const sources = /(?<!\.d)\.[cm]?[jt]sx?$/;

/** JavaScript and TypeScript in Node. */
export function nodeLanguage(
  parts: NodeParts,
  service: RewriteSocket,
): TracedLanguage<WireExpression> {
  return {
    name: 'JavaScript',
    type: 'javascript',
    constants: ['undefined', 'NaN', 'Infinity', 'this'],
    compile: compileNodeWatch,
    whyUndecided: whyNodeUndecided,
    isSource: (name) => sources.test(name),
    async enter(entry, { projectRoot }) {
      const servicePath = await service.open();
      return await NodeProcess.enter(entry, { parts, servicePath, projectRoot });
    },
  };
}
