import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFolder } from './compile.mjs';

/** Compiles native/host into dist/host.so when a source is newer. Answers whether it built. */
export async function buildHost(root) {
  const linking = ['-shared', '-Wl,-z,noexecstack', '-Wl,-z,now', '-Wl,-z,defs'];
  return await compileFolder({
    folder: join(root, 'native/host'),
    product: join(root, 'dist/host.so'),
    builder: fileURLToPath(import.meta.url),
    flags: ['-fPIC', '-fvisibility=hidden', ...linking],
    libraries: ['-ldl', '-lpthread'],
  });
}
