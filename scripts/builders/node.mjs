import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFolder } from './compile.mjs';

/** Compiles native/node into dist/node.node when a source is newer. Answers whether it built. */
export async function buildNodeTracer(root) {
  const headers = join(root, 'node_modules/node-api-headers/include');
  // The program that loads it has the functions of Node-API.
  const linking = ['-shared', '-Wl,-z,noexecstack', '-Wl,-z,now'];
  return await compileFolder({
    folder: join(root, 'native/node'),
    product: join(root, 'dist/node.node'),
    headers: [join(root, 'native/engine/record.h')],
    builder: fileURLToPath(import.meta.url),
    flags: [
      '-fPIC',
      '-fvisibility=hidden',
      '-D_GNU_SOURCE',
      '-DNAPI_VERSION=8',
      '-isystem',
      headers,
      ...linking,
    ],
    libraries: ['-pthread', '-ldl'],
  });
}
