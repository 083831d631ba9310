import { loadTypeScript } from '../loadTypeScript.mjs';

/** Layouts whose members are byte offsets become `<PREFIX>_AT_<MEMBER>`, except their total size. */
const groups = [
  ['supervisorWire', 'WIRE'],
  ['supervisorSpec', 'SPEC_AT'],
  ['supervisorSpecFlag', 'SPEC_FLAG'],
  ['supervisorStdin', 'STDIN'],
  ['supervisorAnswer', 'ANSWER_AT'],
  ['supervisorStage', 'STAGE'],
  ['logHead', 'LOG_AT'],
  ['logType', 'LOG'],
  ['execFlag', 'EXEC_FLAG'],
  ['stackRoom', 'STACK_ROOM'],
  ['supervisorRequest', 'REQUEST'],
  ['supervisorDecision', 'DECISION'],
  ['supervisorScope', 'SCOPE'],
  ['supervisorEvent', 'EVENT'],
  ['supervisorState', 'STATE'],
];

function macro(prefix, name) {
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  return name === 'bytes' ? `${prefix.replace(/_AT$/, '')}_BYTES` : `${prefix}_${words}`;
}

/** native/supervisor/wire.h from src/protocol/supervisor.ts. */
export async function generateSupervisor(root) {
  const { wire } = await loadTypeScript(root, { wire: 'src/protocol/supervisor.ts' });
  const lines = [
    '/* Generated from src/protocol/supervisor.ts by npm run generate. Do not edit. */',
    '#ifndef STROBE_WIRE_H',
    '#define STROBE_WIRE_H',
  ];
  for (const [group, prefix] of groups) {
    lines.push('');
    for (const [name, value] of Object.entries(wire[group])) {
      lines.push(`#define ${macro(prefix, name)} ${value}u`);
    }
  }
  lines.push('', '#endif', '');
  return [{ path: 'native/supervisor/wire.h', text: lines.join('\n') }];
}
