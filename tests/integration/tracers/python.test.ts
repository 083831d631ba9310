import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect } from 'vitest';
import { AgentLinks } from '../../../src/collector/frida/agentLinks.ts';
import { PythonTracers } from '../../../src/collector/python/pythonTracers.ts';
import { itNeeds, underProof } from '../../support/needs.ts';
import { pythons } from '../../support/pythons.ts';
import { targetSource } from '../../support/targets.ts';
import { tracerConformance } from './conformance.ts';

const script = targetSource('tracers/conform.py');
const { capabilities } = new PythonTracers({
  agents: new AgentLinks(),
  libraryPath: '',
  enginePath: '',
  stopsPath: '',
  adapters: { use: 'fits', delve: '', gdb: '', lldb: '', debugpy: '', named: [] },
  warn: () => undefined,
  statements: () => Promise.resolve([]),
  find: () => Promise.resolve({ functions: [], nearest: [] }),
});

/** By the profile hook and by sys.monitoring; with a shared library and without; each layout of objects. All by proof. */
const tried = pythons.filter(
  ({ minor, isSystem }) => underProof || isSystem || minor === 9 || minor === 12 || minor >= 13,
);

itNeeds('cpython', 'there are interpreters to try it on', () => {
  expect(tried.length).toBeGreaterThan(0);
});

describe.each(tried.map(({ name, path }) => [name, path] as const))(
  'Python %s [runtimes.conformance]',
  (_name, path) => {
    tracerConformance({
      capabilities,
      module: 'conform',
      program: () => ({ command: path, args: [script] }),
      isWhole: true,
      projectRoot: dirname(script),
      fingerprint: (pid) => String(/frida-agent/.test(readFileSync(`/proc/${pid}/maps`, 'utf8'))),
    });
  },
);
