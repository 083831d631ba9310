import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFolder } from './compile.mjs';

/** Compiles native/supervisor into dist/supervisor when a source is newer. Answers whether it built. */
export async function buildSupervisor(root) {
  return await buildProgram(root, 'native/supervisor', 'dist/supervisor');
}

/** Compiles native/watcher into dist/watcher when a source is newer. Answers whether it built. */
export async function buildWatcher(root) {
  return await buildProgram(root, 'native/watcher', 'dist/watcher');
}

/** Compiles native/stage into dist/stage when a source is newer. Answers whether it built. */
export async function buildStage(root) {
  return await buildProgram(root, 'native/stage', 'dist/stage');
}

/** Compiles native/serial into dist/serial when a source is newer. Answers whether it built. */
export async function buildSerial(root) {
  return await buildProgram(root, 'native/serial', 'dist/serial');
}

/** Compiles native/midi into dist/midi when a source is newer. Answers whether it built. */
export async function buildMidi(root) {
  return await buildProgram(root, 'native/midi', 'dist/midi');
}

/** Compiles native/sampler into dist/sampler when a source is newer. Answers whether it built. */
export async function buildSampler(root) {
  return await buildProgram(root, 'native/sampler', 'dist/sampler');
}

/** Compiles native/spotter into dist/spotter when a source is newer. Answers whether it built. */
export async function buildSpotter(root) {
  const further = [join(root, 'native/engine/x64/decode.c')];
  return await buildProgram(root, 'native/spotter', 'dist/spotter', further);
}

/** Compiles native/stopper into dist/stopper when a source is newer. Answers whether it built. */
export async function buildStopper(root) {
  const engine = ['x64/decode.c', 'condition.c', 'thrown.c'].map((name) => `engine/${name}`);
  const supervisor = ['park.c', 'firstStack.c', 'handover.c'].map((name) => `supervisor/${name}`);
  const further = [...engine, ...supervisor].map((name) => join(root, 'native', name));
  return await buildProgram(root, 'native/stopper', 'dist/stopper', further);
}

async function buildProgram(root, sourceFolder, product, further = []) {
  return await compileFolder({
    folder: join(root, sourceFolder),
    product: join(root, product),
    builder: fileURLToPath(import.meta.url),
    further,
  });
}
