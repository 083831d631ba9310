import { parentPort } from 'node:worker_threads';
import type { RewriteAnswer, RewriteRequest } from '../../protocol/nodeTracer.ts';
import { FunctionLocator } from '../../symbols/javascript/functionLocator.ts';
import { rewriteModule } from '../../symbols/javascript/rewriteModule.ts';

const locator = new FunctionLocator();

/** The thread that rewrites modules; what it is asked, it answers in turn. */
parentPort?.on('message', (request: RewriteRequest) => {
  parentPort?.postMessage(JSON.stringify(answerTo(request)));
});

function answerTo({ text, path, format }: RewriteRequest): RewriteAnswer {
  const rewritten = rewriteModule({ text, file: path, format });
  if ('refusal' in rewritten) return { why: rewritten.refusal };
  const located = locator.locate(rewritten.functions, text, path);
  return {
    inserts: rewritten.inserts.map(({ position, text: put }) => [position, put]),
    functions: located.map(({ offset, file, refusal }) => ({
      offset,
      ...(file === undefined ? {} : { file }),
      ...(refusal === null ? {} : { why: refusal }),
    })),
    variables: rewritten.variables,
  };
}
