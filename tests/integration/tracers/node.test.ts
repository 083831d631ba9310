import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect } from 'vitest';
import { AgentLinks } from '../../../src/collector/frida/agentLinks.ts';
import { NodeTracers } from '../../../src/collector/node/nodeTracers.ts';
import { itNeeds } from '../../support/needs.ts';
import { nodes } from '../../support/nodes.ts';
import { targetSource } from '../../support/targets.ts';
import { tracerConformance } from './conformance.ts';

const script = targetSource('tracers/conform.mjs');
const { capabilities } = new NodeTracers({
  agents: new AgentLinks(),
  libraryPath: '',
  preloadPath: '',
  startPath: '',
  enginePath: '',
  socketPath: '',
  linkPath: '',
  rewrite: () => Promise.reject(new Error('nothing is rewritten here')),
  statements: () => Promise.resolve([]),
  find: () => Promise.resolve({ functions: [], nearest: [] }),
});

itNeeds('nodes', 'there are versions of Node to try it on', () => {
  expect(nodes.length).toBeGreaterThan(0);
});

/** Versions differ in how modules are loaded, which nodePrograms.test.ts tries. */
const tried = nodes.filter(({ major }) => major === 24 || nodes.length > 2);

describe.each(tried.map(({ major, path }) => [major, path] as const))(
  'Node %i [runtimes.conformance]',
  (_major, path) => {
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
