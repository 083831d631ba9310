/* Prints the milliseconds of the processor that loading and activating the built extension takes, with an API of VS Code that does nothing. */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';

const [, , path] = process.argv;

/** Whatever is asked of it or done with it. */
function anything() {
  return new Proxy(function () {}, {
    get: (_, name) => {
      if (name === Symbol.toPrimitive) return () => '';
      if (name === Symbol.iterator) return [][Symbol.iterator].bind([]);
      return name === 'then' ? undefined : anything();
    },
    set: () => true,
    apply: anything,
    construct: anything,
  });
}

const used = readFileSync(path, 'utf8').matchAll(/\bvscode\d*\.(\w+)/g);
const api = Object.fromEntries([...used].map(([, name]) => [name, anything()]));
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? api : load(name, ...rest));

const before = process.cpuUsage();
const extension = { packageJSON: { version: '' } };
createRequire(import.meta.url)(path).activate({
  subscriptions: [],
  workspaceState: anything(),
  extension,
});
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
// It would ask for sessions from now on.
process.kill(process.pid);
