/*
 * Runs tests of test262 in this process, each in a realm of its own, and writes how each ended:
 * `test262Run.mjs <plain | rewritten> <file to write> <rewriter> <first> <end> [every]`. In the
 * rewritten modes every module tells its calls to hooks that check them. It knows of no other run.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import vm from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';

const [mode, out, rewriterPath, first, end, every = '1'] = process.argv.slice(2);
const packed = new URL('../../tests/targets/test262/language.json.br', import.meta.url);
const pack = JSON.parse(brotliDecompressSync(readFileSync(packed)));
const rewriter = mode === 'plain' ? null : await import(rewriterPath);
const SCRIPT_MS = 20_000;
const ASYNC_MS = 5000;

// Promises that tests leave rejected, and what they throw later, are no results.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);

const harness = new Map();
function harnessScript(name) {
  if (!harness.has(name)) harness.set(name, new vm.Script(pack.harness[name], { filename: name }));
  return harness.get(name);
}

const tally = { modules: 0, functions: 0, refused: 0, entered: 0, ended: 0, wrong: 0 };

/** Hooks of one module, with every function on. `wrong` counts what a tracer could not make sense of. */
function hooksOf({ functions }) {
  const open = new Set();
  let last = 0;
  const check = (handle, value) => {
    if (handle !== 0 && !open.has(handle)) tally.wrong++;
    return value;
  };
  return {
    flags: new Uint8Array(functions.length).fill(1),
    enter(index, ...values) {
      tally.entered++;
      if (values.length !== functions[index].parameters.length) tally.wrong++;
      open.add(++last);
      return last;
    },
    exit(handle) {
      if (handle === 0) return;
      if (open.delete(handle)) tally.ended++;
      else tally.wrong++;
    },
    raise: check,
    handled: check,
    awaits: check,
    yields: check,
    resumes: check,
    fields: (made, names, read) => read({}),
  };
}

/** What the tests call the host: a realm, and ways to make others. */
function realmOf(print) {
  const context = vm.createContext({ print });
  const host = {
    global: vm.runInContext('this', context),
    evalScript: (text) => vm.runInContext(text, context),
    createRealm: () => realmOf(print).host,
    detachArrayBuffer: (buffer) => void structuredClone(buffer, { transfer: [buffer] }),
    gc: () => undefined,
    agent: {},
  };
  context.$262 = host;
  return { context, host };
}

const inRealm = `(take, restore) => {
  Object.defineProperty(globalThis, '$strobe', { value: function $strobe(key) { return take(key) }, configurable: true, writable: true });
  const prototype = Function.prototype, plain = prototype.toString;
  prototype.toString = new Proxy(plain, { apply(target, self, values) { const text = Reflect.apply(target, self, values); return restore(text) } });
  Object.defineProperty(prototype, 'toString', { enumerable: false });
}`;

/** The modules of one test. */
class Modules {
  constructor(context, result) {
    this.all = [];
    this.result = result;
    if (rewriter) {
      const restore = (text) => {
        for (const running of this.all) {
          const original = rewriter.originalText(text, running);
          if (original !== null) return original;
        }
        return text;
      };
      vm.runInContext(inRealm, context)((key) => hooksOf(this.all[key].module), restore);
    }
  }

  text(original, file, format) {
    if (!rewriter) return original;
    const module = rewriter.rewriteModule({
      text: original,
      file,
      format,
    });
    if ('refusal' in module) {
      (this.result.refused ??= []).push(module.refusal);
      return original;
    }
    tally.modules++;
    tally.functions += module.functions.length;
    for (const { refusal } of module.functions) {
      if (refusal === null) continue;
      tally.refused++;
      (this.result.left ??= []).push(refusal);
    }
    const key = String(this.all.length);
    const rewritten = rewriter.applyInserts(original, module.inserts, key);
    this.all.push({ module, original, rewritten, inserts: module.inserts, key });
    return rewritten;
  }
}

async function runModule(path, text, context, modules) {
  const made = new Map();
  const make = (file) => {
    const source = file === path ? text : pack.fixtures[file];
    if (source === undefined) throw new Error(`no fixture ${file}`);
    if (!made.has(file)) {
      const options = { context, identifier: file, importModuleDynamically: load };
      made.set(file, new vm.SourceTextModule(modules.text(source, file, 'module'), options));
    }
    return made.get(file);
  };
  const link = (specifier, { identifier = path }) =>
    make(posix.join(posix.dirname(identifier), specifier));
  const load = async (specifier, referrer) => {
    const module = link(specifier, referrer);
    if (module.status === 'unlinked') await module.link(link);
    await module.evaluate();
    return module;
  };
  const main = make(path);
  await main.link(link);
  await main.evaluate();
}

function runScript(path, text, context, modules) {
  const importModuleDynamically = () => Promise.reject(new Error('no modules'));
  const options = { filename: 'test.js', importModuleDynamically };
  new vm.Script(modules.text(text, path, 'script'), options).runInContext(context, {
    timeout: SCRIPT_MS,
  });
}

/** Waits for what may never come. */
async function limited(work) {
  let timer;
  const limit = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error('it did not settle')), ASYNC_MS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function run({ path, text, flags, includes }, isStrict) {
  const result = { id: isStrict ? `${path} (strict)` : path, printed: [] };
  let done = () => undefined;
  const settled = new Promise((resolve) => (done = resolve));
  const print = (line) => {
    result.printed.push(String(line));
    if (String(line).startsWith('Test262:Async')) done();
  };
  try {
    const { context } = realmOf(print);
    if (!flags.includes('raw'))
      for (const name of ['assert.js', 'sta.js', 'doneprintHandle.js', ...includes])
        harnessScript(name).runInContext(context);
    const modules = new Modules(context, result);
    if (flags.includes('module')) await limited(runModule(path, text, context, modules));
    else runScript(path, isStrict ? `"use strict";\n${text}` : text, context, modules);
    if (flags.includes('async')) await limited(settled);
    result.end = 'ran to its end';
  } catch (error) {
    result.end = thrown(error);
  }
  return result;
}

function thrown(error) {
  try {
    return `${error?.constructor?.name}: ${error?.message}`;
  } catch {
    return 'threw what cannot be shown';
  }
}

function waysOf({ flags }) {
  if (flags.includes('onlyStrict')) return [true];
  return ['module', 'raw', 'noStrict'].some((flag) => flags.includes(flag))
    ? [false]
    : [false, true];
}

const results = [];
for (let i = Number(first); i < Math.min(Number(end), pack.tests.length); i += Number(every))
  for (const isStrict of waysOf(pack.tests[i])) results.push(await run(pack.tests[i], isStrict));
writeFileSync(out, JSON.stringify({ tests: pack.tests.length, tally, results }));
