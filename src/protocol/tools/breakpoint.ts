import { z } from 'zod';
import { caughtKinds, exceptionKinds } from '../../model/probes/probe.ts';

/** Of arguments, locals, globals, fields and elements. */
export const expression = z.string().min(1).max(1000);
const count = z.int().min(1).max(1_000_000_000).exactOptional();

const placeText = z.string().min(1).max(4200);

const breakpoint = z
  .strictObject({
    function: z.string().min(1).max(1000).describe('At the start of its body.').exactOptional(),
    address: z
      .string()
      .regex(/^0x[0-9a-fA-F]{1,16}$/)
      .exactOptional(),
    data: expression
      .describe('Where this is written: "counter", "order->total", "*(int*)0x7ffe0010".')
      .exactOptional(),
    access: z
      .enum(['write', 'access'])
      .describe('"access": where `data` is read, too (default: write).')
      .exactOptional(),
    exception: z
      .enum(exceptionKinds)
      .describe('Where C++ throws ("cpp"), Rust panics, or Python or JavaScript raise.')
      .exactOptional(),
    type: z
      .string()
      .min(1)
      .max(1000)
      .describe('Only exceptions of this type, or derived from it: "std::runtime_error".')
      .exactOptional(),
    caught: z
      .enum(['all', 'uncaught'])
      .describe('Of Python and JavaScript: "uncaught" stops only where nothing catches it.')
      .exactOptional(),
    file: z.string().min(1).max(4096).exactOptional(),
    line: z.int().min(1).exactOptional(),
    expect: z
      .string()
      .max(400)
      .describe('Follow this text of the line if it moved.')
      .exactOptional(),
    statement: z
      .string()
      .min(1)
      .max(400)
      .describe('Find the line of `file` with this text.')
      .exactOptional(),
    near: z.int().min(1).describe('Prefer the match near this line.').exactOptional(),
    label: z.string().min(1).max(100).exactOptional(),
    condition: expression
      .describe('Record only hits that meet it: "sum > 10 && p->next == 0".')
      .exactOptional(),
    invariant: expression
      .describe('Record only hits that find this broken, after it held: "used <= size".')
      .exactOptional(),
    at: count.describe('Record only this hit.'),
    every: count.describe('Record every n-th hit.'),
    after: count.describe('Skip the first n hits.'),
    once: z.literal(true).exactOptional(),
    thread: z
      .string()
      .min(1)
      .max(15)
      .describe('Only in threads of this name, or with this id.')
      .exactOptional(),
    stop: z
      .enum(['thread', 'process'])
      .describe('Stop the thread that hits it (default without log and capture), or all threads.')
      .exactOptional(),
    log: z
      .string()
      .min(1)
      .max(1000)
      .describe('Write this text: "sum={sum} of {item->name}".')
      .exactOptional(),
    capture: z
      .strictObject({
        values: z.array(expression).max(8).default([]),
        locals: z.boolean().default(false).describe('All arguments and locals in scope (up to 8).'),
      })
      .exactOptional(),
  })
  .refine(
    ({ function: name, file, address, exception, data }) =>
      [name, file, address, exception, data].filter(Boolean).length === 1,
    'give either function, or file with line or statement, or address, exception or data',
  )
  .refine(
    ({ file, line, statement, expect, near }) =>
      file !== undefined || [line, statement, expect, near].every((other) => other === undefined),
    'line, statement, expect and near are of file',
  )
  .refine(
    (one) => one.expect === undefined || one.statement === undefined,
    'expect is of line: leave it out beside statement',
  )
  .refine(
    (one) => one.near === undefined || one.line === undefined,
    'near is of statement: leave it out beside line',
  )
  .refine((one) => one.access === undefined || one.data !== undefined, 'access is of data')
  .refine(
    (one) =>
      one.data === undefined ||
      [one.invariant, one.log, one.capture].every((other) => other === undefined),
    'data stops: leave log, capture and invariant out; debug_trace watches record writes',
  )
  .refine(
    (one) => one.type === undefined || (one.exception !== undefined && one.exception !== 'panic'),
    'type is of exception "cpp", "python" or "js"',
  )
  .refine(
    ({ caught, exception }) =>
      caught === undefined || (exception !== undefined && caughtKinds.includes(exception)),
    `caught is of exception "${caughtKinds.join('" or "')}"`,
  )
  .refine(
    (one) =>
      one.exception === undefined ||
      [one.condition, one.invariant, one.log, one.capture].every((other) => other === undefined),
    'exceptions have type, at, every, after and once, but no condition, invariant, log or capture',
  )
  .refine(
    (one) => one.file === undefined || (one.line === undefined) !== (one.statement === undefined),
    'give file with either line or statement',
  )
  .refine(
    (one) => one.log === undefined || one.capture === undefined,
    'give log or capture, not both',
  )
  .refine(
    (one) =>
      one.invariant === undefined ||
      [one.condition, one.at, one.every, one.after, one.once, one.log].every(
        (other) => other === undefined,
      ),
    'an invariant is checked at every hit: leave condition, at, every, after, once and log out',
  )
  .refine(
    (one) => one.stop === undefined || (one.log ?? one.capture ?? one.invariant) === undefined,
    'one that stops has no log, capture or invariant',
  );

/** Where to stop or record: a text like "file.c:22" or a function, or with what is wanted there. */
export const breakpointParameter = z.union([placeText, breakpoint]);

/** The same where debug_breakpoint is the place to read of it. */
export const launchBreakpoint = z.union([placeText, breakpoint.meta({ told: [] })]);
