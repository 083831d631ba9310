/* Reads one program's symbols in a process of its own and prints what it took, as JSON. Arguments: program, folder of the index, patterns. Cold, the first matches are among it. */
import { readFileSync } from 'node:fs';
import { SymbolWorker } from '../../proof/support/symbols.mjs';

const [path, folder, ...patterns] = process.argv.slice(2);
const before = peak();
const worker = new SymbolWorker(folder);
await worker.ask('complete', { modules: [], prefix: '', limit: 1 });

async function timed(kind, asked) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const answer = await worker.ask(kind, asked);
  const { user, system } = process.cpuUsage(cpu);
  return {
    ms: performance.now() - start,
    cpuMs: (user + system) / 1000,
    answer,
  };
}

/** Megabytes. */
function peak() {
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
}

const opened = await timed('open', { path, patterns: ['*sum*', 'main'] });
const openedAt = peak();
const found = [];
for (const pattern of patterns) {
  const options = { projectRoot: '/', limit: 1 };
  const { ms, cpuMs } = await timed('find', { modules: [path], pattern, options });
  found.push({ pattern, ms, cpuMs });
}
const { functions, fromCache } = opened.answer;
console.log(
  JSON.stringify({
    functions,
    fromCache,
    openMs: opened.ms,
    openCpuMs: opened.cpuMs,
    megabytes: openedAt - before,
    found,
  }),
);
await worker.close();
