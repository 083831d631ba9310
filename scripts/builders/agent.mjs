import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const contracts = [
  'src/protocol/agent.ts',
  'src/protocol/exceptionFile.ts',
  'src/protocol/goArea.ts',
  'src/protocol/fromOutside.ts',
  'src/protocol/record.ts',
  'src/protocol/walk.ts',
  'src/protocol/refusals.ts',
];

/** frida-compile emits, so it wants import paths rewritten where our own check only allows them. */
const configuration = {
  compilerOptions: {
    strict: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    target: 'es2022',
    lib: ['es2022'],
    types: ['frida-gum'],
    skipLibCheck: true,
  },
  include: ['agent'],
};

/** Compiles agent/main.ts into dist/agent.js when a source is newer. Answers whether it built. */
export async function buildAgent(root) {
  const product = join(root, 'dist/agent.js');
  const agent = readdirSync(join(root, 'agent')).filter((name) => name.endsWith('.ts'));
  const sources = [...agent.map((name) => `agent/${name}`), ...contracts];
  const inputs = [...sources.map((name) => join(root, name)), fileURLToPath(import.meta.url)];
  const newest = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  if (existsSync(product) && statSync(product).mtimeMs >= newest) return false;
  mkdirSync(join(root, 'dist'), { recursive: true });
  mkdirSync(join(root, '.cache'), { recursive: true });
  // The compiler reads the tsconfig.json of its folder and accepts no source outside it: it gets
  // a folder with copies.
  const folder = mkdtempSync(join(root, '.cache', 'agent-'));
  const draft = join(root, 'dist', `agent.${process.pid}.js`);
  try {
    for (const name of sources) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      cpSync(join(root, name), join(folder, name));
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const compiler = join(root, 'node_modules/frida-compile/dist/cli.js');
    const args = [compiler, '-S', '-o', draft, 'agent/main.ts'];
    await promisify(execFile)(process.execPath, args, { cwd: folder });
    renameSync(draft, product);
  } catch (error) {
    const said = `${error.stdout ?? ''}${error.stderr ?? error}`;
    throw new Error(`The agent does not compile:\n${said}`, { cause: error });
  } finally {
    rmSync(draft, { force: true });
    rmSync(folder, { recursive: true, force: true });
  }
  return true;
}
