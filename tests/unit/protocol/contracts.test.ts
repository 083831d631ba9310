import { expect, test } from 'vitest';
import { errors } from '../../../src/model/errors.ts';
import { eventTypes } from '../../../src/protocol/tools/debugQuery.ts';
import { exitStatus } from '../../../src/protocol/cliExitStatus.ts';
import { instructions } from '../../../src/protocol/clientInstructions.ts';
import { tools } from '../../../src/protocol/tools/tools.ts';
import { outputVariants, wireOutput } from '../../../src/protocol/tools/wireOutput.ts';
import {
  inputVariants,
  record,
  records,
  wireInput,
} from '../../../src/protocol/tools/wireSchema.ts';
import { countTokens } from '../../support/tokens.ts';
import manifest from '../../../src/client/manifest.json' with { type: 'json' };

test('[mcp.descriptions] descriptions and instructions are under 2 KB, each with an example', () => {
  for (const tool of tools) {
    expect([tool.name, Buffer.byteLength(tool.description) < 2048]).toEqual([tool.name, true]);
    expect(tool.description).toMatch(/Example: \{.*\}/);
  }
  expect(Buffer.byteLength(instructions)).toBeLessThan(2048);
  expect(instructions).toMatch(/1\. Read the code first[\s\S]*output[\s\S]*Narrow traces/);
});

test('[mcp.structured] what an output schema says of a member is true of each form that has it', () => {
  const said = JSON.stringify(manifest.outputSchemas['debug_query']);
  expect(said).toContain('The session or time range compared with');
  expect(said).not.toContain('Functions that differ.');
});

test("the example in a tool's description is accepted by the tool", () => {
  for (const tool of tools) {
    const example: unknown = JSON.parse(/Example: (\{.*\})/.exec(tool.description)?.[1] ?? 'null');
    expect([tool.name, tool.input.safeParse(example).error]).toEqual([tool.name, undefined]);
  }
});

test('wire schemas have an object at the root and no alternatives there', () => {
  for (const tool of tools) {
    const schema = wireInput(tool);
    expect(Object.keys(schema).toSorted()).toEqual(expect.arrayContaining(['properties', 'type']));
    for (const keyword of ['oneOf', 'anyOf', 'allOf']) expect(schema).not.toHaveProperty(keyword);
    expect(wireOutput(tool)['type']).toBe('object');
  }
});

test('the wire schema knows every parameter of every variant', () => {
  for (const tool of tools) {
    const known = Object.keys(wireInput(tool).properties);
    const wanted = new Set(
      inputVariants(tool).flatMap((variant) => Object.keys(variant.properties)),
    );
    expect([tool.name, [...wanted].toSorted()]).toEqual([tool.name, known.toSorted()]);
  }
});

test('a parameter named like a keyword of JSON Schema survives the shortening', () => {
  const trace = JSON.stringify(wireInput(tools[2]));
  expect(trace).toContain('"properties":{"pattern":');
});

/** The tool list as a client gets it; it is part of every conversation with the model. */
const listed = manifest.toolList.tools;

/** The tools that were first; each one that came later has an allowance of its own. */
const firstTools = ['debug_launch', 'debug_session', 'debug_trace', 'debug_query', 'debug_test'];

test('[mcp.tool-list] the first five tools cost a model at most 4,500 tokens and 5,500 as listed', () => {
  const five = listed.filter(({ name }) => firstTools.includes(name));
  const seen = five.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  expect(five).toHaveLength(firstTools.length);
  expect(countTokens(JSON.stringify(seen))).toBeLessThanOrEqual(4500);
  expect(countTokens(JSON.stringify(five))).toBeLessThanOrEqual(5500);
});

test('[mcp.tool-list] each later tool costs at most 900 tokens as listed', () => {
  const costs = listed
    .filter(({ name }) => !firstTools.includes(name))
    .map((tool) => ({ name: tool.name, tokens: countTokens(JSON.stringify(tool)) }));
  expect(costs.filter(({ tokens }) => tokens > 900)).toEqual([]);
});

test('[mcp.tool-list] every object of the listed schemas has members', () => {
  expect(bareObjects(listed.map(({ inputSchema }) => inputSchema))).toEqual([]);
});

/** Objects without members, but for those with any: `env`. */
function bareObjects(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own: unknown = 'type' in schema ? schema.type : null;
  const isBare =
    own === 'object' && !('properties' in schema) && !('additionalProperties' in schema);
  return [...(isBare ? [schema] : []), ...Object.values(schema).flatMap(bareObjects)];
}

test('[mcp.read-only] debug_query and debug_inspect say that they only read', () => {
  const readOnly = tools.filter(({ annotations }) => annotations.readOnlyHint);
  expect(readOnly.map(({ name }) => name)).toEqual(['debug_query', 'debug_inspect']);
});

test('types in the listed schemas are names, or lists of different names', () => {
  const odd = typesIn([listed, manifest.outputSchemas]).filter((type) => {
    const names = Array.isArray(type) ? type : [type];
    return names.length !== new Set(names).size || names.some((name) => typeof name !== 'string');
  });
  expect(odd).toEqual([]);
});

/** Every value of the keyword `type` in a schema; a parameter may be called so. */
function typesIn(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, member]): unknown[] => {
    if (key === 'type') return [member];
    return key === 'properties' ? Object.values(record(member)).flatMap(typesIn) : typesIn(member);
  });
}

test('members that the tool list leaves out of a schema are named in its words', () => {
  for (const tool of tools) {
    const said = JSON.stringify(listed);
    const leftOut = inputVariants(tool).flatMap((variant) => untold(variant.properties));
    expect([tool.name, leftOut.filter((name) => !said.includes(name))]).toEqual([tool.name, []]);
    const known = inputVariants(tool).flatMap((variant) => Object.keys(variant.properties));
    expect(known).toEqual(expect.arrayContaining([...(tool.variantsTold ?? [])]));
  }
  expect(inputVariants(tools[3]).flatMap((variant) => untold(variant.properties))).toContain('lt');
});

/** Members of objects in a schema that are marked as told elsewhere. */
function untold(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const told = 'told' in schema && Array.isArray(schema.told) ? schema.told : null;
  const members = 'properties' in schema ? Object.keys(record(schema.properties)) : [];
  return [
    ...(told ? members.filter((name) => !told.includes(name)) : []),
    ...Object.values(schema).flatMap(untold),
  ];
}

test('an answer of every kind is one the listed schema allows', () => {
  for (const tool of tools) {
    const wire = wireOutput(tool);
    const names = Object.keys(record(wire['properties']));
    for (const { properties, required } of outputVariants(tool)) {
      expect(names).toEqual(expect.arrayContaining(Object.keys(properties)));
      const [answered] = records(wire['anyOf']);
      expect(required).toEqual(expect.arrayContaining(Object.values(record(answered)).flat()));
    }
    expect(names).toContain('error');
  }
});

// A red pin asks: deliberate? Clients and scripts depend on these.
test('error codes are stable', () => {
  expect(Object.entries(errors).map(([code, row]) => `${code} ${row.kind}`)).toMatchInlineSnapshot(`
    [
      "UNKNOWN_PARAMETER caller",
      "BAD_PARAMETER caller",
      "NOT_STOPPED state",
      "STALE_STOP state",
      "NO_LINE state",
      "CANNOT_DEBUG environment",
      "CHANNEL_UNAVAILABLE environment",
      "UNKNOWN_TOOL caller",
      "PROGRAM_NOT_FOUND caller",
      "NOT_EXECUTABLE caller",
      "WRONG_ARCHITECTURE environment",
      "NO_SUCH_DIRECTORY caller",
      "EXEC_FAILED target",
      "UNKNOWN_SESSION caller",
      "NO_SESSION state",
      "AMBIGUOUS_SESSION caller",
      "NOT_OWNER state",
      "SESSION_ENDED state",
      "SESSION_RUNNING state",
      "NOT_RESTARTABLE state",
      "NO_SUCH_PROCESS caller",
      "NOT_ATTACHABLE target",
      "ALREADY_OBSERVED state",
      "STATIC_PROGRAM target",
      "BAD_BINARY target",
      "TOO_MANY_MATCHES caller",
      "BAD_PATTERN caller",
      "BAD_EXPRESSION caller",
      "NOTHING_MATCHED caller",
      "BAD_CURSOR caller",
      "BAD_SQL caller",
      "BAD_REGEX caller",
      "STDIN_CLOSED state",
      "INSTRUMENTATION_FAILED target",
      "PTRACE_DENIED environment",
      "FRIDA_MISSING environment",
      "SETTING_UP environment",
      "SETUP_FAILED environment",
      "TOOLCHAIN_MISSING environment",
      "TRACER_LOST target",
      "SUPERVISOR_LOST target",
      "DAEMON_UNREACHABLE environment",
      "UNSAFE_HOME environment",
      "HOME_READ_ONLY environment",
      "PATH_TOO_LONG environment",
      "STORE_FAILED environment",
      "TIMED_OUT state",
      "CANCELLED caller",
      "FILE_EXISTS caller",
      "EXPORT_FAILED environment",
      "NO_TEST_FRAMEWORK caller",
      "RUNNER_MISSING environment",
      "UNKNOWN_TEST caller",
      "UNKNOWN_TEST_RUN caller",
      "TESTS_RUNNING state",
      "NO_STAGE environment",
      "NO_WINDOW state",
      "UNKNOWN_ELEMENT caller",
      "NOT_ACTIONABLE state",
      "BAD_SETTING caller",
      "INTERNAL bug",
    ]
  `);
});

test('exit statuses, tools and event types are stable', () => {
  expect(exitStatus).toEqual({ caller: 2, state: 3, target: 4, environment: 5, bug: 70 });
  expect(tools.map((tool) => tool.name)).toEqual([
    'debug_launch',
    'debug_session',
    'debug_trace',
    'debug_query',
    'debug_test',
    'debug_breakpoint',
    'debug_continue',
    'debug_inspect',
    'debug_memory',
    'debug_channel',
    'debug_ui',
  ]);
  expect(eventTypes).toEqual([
    'call',
    'function_enter',
    'function_exit',
    'stdout',
    'stderr',
    'process',
    'exception',
    'crash',
    'loss',
    'variable_snapshot',
    'logpoint',
    'suspend',
    'resume',
    'raise',
    'handled',
    'strand',
  ]);
  expect(inputVariants(tools[1]).map((variant) => variant.name)).toEqual([
    'status',
    'list',
    'wait',
    'input',
    'stop',
    'detach',
    'restart',
    'retain',
    'delete',
    'pack',
    'open',
    'export',
  ]);
  expect(inputVariants(tools[3]).map((variant) => variant.name)).toEqual([
    'events',
    'tree',
    'stats',
    'diff',
    'crash',
    'sql',
    'changes',
    'output',
  ]);
});
