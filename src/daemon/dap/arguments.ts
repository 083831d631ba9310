import { z } from 'zod';
import { exceptionFilterNames } from './exceptionFilters.ts';

/** Arguments of the requests of the Debug Adapter Protocol that are answered here; an editor may send more of each. */
const reference = z.int().min(0).default(0);
const thread = z.looseObject({ threadId: z.int() });

const source = z.looseObject({ path: z.string().min(1).exactOptional() });

const shared = {
  projectRoot: z.string().min(1).exactOptional(),
  /** Functions that are traced from the start, as of debug_launch. */
  trace: z.array(z.string()).default([]),
};

const address = z.string().regex(/^(?:0x[0-9a-fA-F]{1,16}|\d{1,20})$/, 'is no address');

const exceptionFilter = z.enum(exceptionFilterNames);

export const dapArguments = {
  initialize: z.looseObject({
    clientName: z.string().exactOptional(),
    linesStartAt1: z.boolean().default(true),
    columnsStartAt1: z.boolean().default(true),
    supportsProgressReporting: z.boolean().default(false),
    supportsInvalidatedEvent: z.boolean().default(false),
  }),
  launch: z.looseObject({
    ...shared,
    program: z.string().min(1).exactOptional(),
    /** Tests to run instead of a program, as of debug_test. */
    test: z
      .looseObject({
        projectRoot: z.string().min(1),
        file: z.string().min(1).exactOptional(),
        test: z.string().min(1).exactOptional(),
      })
      .exactOptional(),
    args: z.array(z.string()).default([]),
    cwd: z.string().min(1).exactOptional(),
    env: z.record(z.string(), z.string()).default({}),
    stopOnEntry: z.boolean().default(false),
    /** Run it without breakpoints. */
    noDebug: z.boolean().default(false),
  }),
  /** `session`: one that an agent, a terminal or a test run began; `latest`: the newest. */
  attach: z.looseObject({
    ...shared,
    pid: z.int().min(1).exactOptional(),
    session: z.string().min(1).exactOptional(),
  }),
  setBreakpoints: z.looseObject({
    source,
    breakpoints: z
      .array(
        z.looseObject({
          line: z.int(),
          condition: z.string().exactOptional(),
          hitCondition: z.string().exactOptional(),
          logMessage: z.string().exactOptional(),
        }),
      )
      .default([]),
  }),
  breakpointLocations: z.looseObject({
    source,
    line: z.int(),
    endLine: z.int().exactOptional(),
  }),
  setFunctionBreakpoints: z.looseObject({
    breakpoints: z.array(
      z.looseObject({
        name: z.string().min(1),
        condition: z.string().exactOptional(),
        hitCondition: z.string().exactOptional(),
      }),
    ),
  }),
  setInstructionBreakpoints: z.looseObject({
    breakpoints: z.array(
      z.looseObject({
        instructionReference: z.string().min(1),
        offset: z.int().default(0),
        condition: z.string().exactOptional(),
        hitCondition: z.string().exactOptional(),
      }),
    ),
  }),
  setExceptionBreakpoints: z.looseObject({
    filters: z.array(exceptionFilter).default([]),
    filterOptions: z
      .array(z.looseObject({ filterId: exceptionFilter, condition: z.string().exactOptional() }))
      .default([]),
  }),
  thread,
  step: z.looseObject({
    threadId: z.int(),
    granularity: z.enum(['statement', 'line', 'instruction']).default('statement'),
  }),
  stackTrace: z.looseObject({
    threadId: z.int(),
    startFrame: z.int().min(0).default(0),
    levels: z.int().min(0).default(0),
  }),
  scopes: z.looseObject({ frameId: z.int() }),
  variables: z.looseObject({
    variablesReference: reference,
    filter: z.enum(['indexed', 'named']).exactOptional(),
    start: z.int().min(0).default(0),
    count: z.int().min(0).default(0),
  }),
  evaluate: z.looseObject({
    expression: z.string(),
    frameId: z.int().exactOptional(),
    context: z.string().default('watch'),
  }),
  setVariable: z.looseObject({
    variablesReference: z.int().min(1),
    name: z.string().min(1),
    value: z.string(),
  }),
  setExpression: z.looseObject({
    expression: z.string(),
    value: z.string(),
    frameId: z.int().exactOptional(),
  }),
  readMemory: z.looseObject({
    memoryReference: address,
    offset: z.int().default(0),
    count: z
      .int()
      .min(0)
      .max(1 << 20),
  }),
  writeMemory: z.looseObject({
    memoryReference: address,
    offset: z.int().default(0),
    data: z.base64().max(1 << 16),
  }),
  disassemble: z.looseObject({
    memoryReference: address,
    offset: z.int().default(0),
    instructionOffset: z.int().min(-1000).max(1000).default(0),
    instructionCount: z.int().min(0).max(1000),
  }),
  dataBreakpointInfo: z.looseObject({
    variablesReference: reference,
    name: z.string().min(1),
    frameId: z.int().exactOptional(),
  }),
  setDataBreakpoints: z.looseObject({
    breakpoints: z.array(
      z.looseObject({
        dataId: z.string().min(1),
        accessType: z.enum(['read', 'write', 'readWrite']).default('write'),
        condition: z.string().exactOptional(),
        hitCondition: z.string().exactOptional(),
      }),
    ),
  }),
  disconnect: z.looseObject({ terminateDebuggee: z.boolean().exactOptional() }),
  none: z.looseObject({}),
} as const;

export type DapArguments<Name extends keyof typeof dapArguments> = z.output<
  (typeof dapArguments)[Name]
>;
