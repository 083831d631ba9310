import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFolder } from './compile.mjs';

/** Compiles native/python into dist/python.so when a source is newer. Answers whether it built. */
export async function buildPythonTracer(root) {
  // It runs inside any interpreter, and is linked with none. Its files are one for the compiler: on the way of a call every
  // step counts.
  const linking = ['-shared', '-Wl,-z,noexecstack', '-Wl,-z,now', '-Wl,-z,defs'];
  return await compileFolder({
    folder: join(root, 'native/python'),
    product: join(root, 'dist/python.so'),
    headers: [join(root, 'native/engine/record.h')],
    builder: fileURLToPath(import.meta.url),
    flags: [
      '-fPIC',
      '-fvisibility=hidden',
      '-D_GNU_SOURCE',
      '-O3',
      '-flto=auto',
      '-mtls-dialect=gnu2',
      ...linking,
    ],
    libraries: ['-pthread', '-ldl'],
  });
}
