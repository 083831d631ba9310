import { z } from 'zod';
import { secretNames } from '../model/values/redaction.ts';

const mebi = 1 << 20;
const powerOfTwo = z
  .int()
  .min(1 << 16)
  .max(1 << 30)
  .refine((bytes) => (bytes & (bytes - 1)) === 0, { message: 'must be a power of two' });

/**
 * Every setting, declared once with its default and a sentence for people: loader, schema file
 * and page are derived from it.
 */
export const settingsSchema = z.strictObject({
  'daemon.idleMinutes': z
    .number()
    .min(0.01)
    .max(10_080)
    .default(30)
    .describe('Minutes without client and session after which the daemon ends.'),
  'retention.days': z
    .number()
    .min(0)
    .max(3650)
    .default(7)
    .describe('Days a retained session is kept after its end.'),
  'retention.endedHours': z
    .number()
    .min(0)
    .max(87_600)
    .default(24)
    .describe('Hours a session that was not retained is kept after its end.'),
  'retention.maxBytes': z
    .int()
    .min(16 * mebi)
    .default(10_240 * mebi)
    .describe('Bytes all sessions may take together; the oldest go first.'),
  'events.maxPerSession': z
    .int()
    .min(1000)
    .default(200_000_000)
    .describe('Events kept per session; beyond it the oldest go and are counted as lost.'),
  'output.maxBytesPerSession': z
    .int()
    .min(4096)
    .default(256 * mebi)
    .describe('Bytes of output kept per session; beyond it the oldest lines go and are counted.'),
  'ring.bytesPerThread': powerOfTwo
    .default(1024 * mebi)
    .describe(
      'Bytes that the ring of a traced thread may have, a power of two: it begins with at most 8 MiB and grows while the index is behind.',
    ),
  'ring.slots': z
    .int()
    .min(1)
    .max(4096)
    .default(128)
    .describe('Threads of one process that can have a ring at the same time.'),
  'ring.overflowBytes': z
    .int()
    .min(0)
    .default(2048 * mebi)
    .describe(
      'Bytes of shared memory by which the rings of a process may grow while the index is behind, at most a quarter of the memory that is free; what they cannot hold is sampled or lost, and counted.',
    ),
  'crashes.alwaysExplained': z
    .boolean()
    .default(true)
    .describe(
      'A program of the project that is launched without patterns is entered all the same, so that stacks, values and exceptions are kept; costs about 60 ms at its start.',
    ),
  'stops.maxSeconds': z
    .number()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('Seconds a thread stays stopped at a breakpoint; then it runs on.'),
  'sampling.callsPerSecond': z
    .int()
    .min(1000)
    .max(1_000_000_000)
    .default(100_000)
    .describe(
      'A function called more often than this within a second is sampled, while its counters stay exact.',
    ),
  'sampling.rate': z
    .number()
    .min(0.000_001)
    .max(1)
    .default(0.01)
    .describe('The share of its calls that a sampled function has recorded.'),
  'redaction.names': z
    .array(
      z
        .string()
        .max(80)
        .regex(/^[a-z0-9]+( [a-z0-9]+)*$/, 'expected lower-case words, as in "api key"'),
    )
    .max(500)
    .default([...secretNames])
    .describe(
      'Words, whole and in order, that make a name look like a secret: values of such names are not captured. Output, and the raw memory that is kept of a crash, are not covered.',
    ),
  'answer.budget': z
    .int()
    .min(200)
    .max(50_000)
    .default(2000)
    .describe('Tokens an answer may have when the request does not say.'),
  'frida.python': z
    .string()
    .min(1)
    .default('python3')
    .describe('The Python that Frida is installed for and run with.'),
  'adapters.delve': z
    .string()
    .min(1)
    .max(4096)
    .default('dlv')
    .describe(
      'Delve, which stops programs of Go by goroutine: a path, or a name that is looked for on the PATH and where Go installs programs.',
    ),
  'adapters.gdb': z
    .string()
    .min(1)
    .max(4096)
    .default('gdb')
    .describe('gdb 14 or newer: a path, or a name that is looked for on the PATH.'),
  'adapters.lldb': z
    .string()
    .min(1)
    .max(4096)
    .default('lldb-dap')
    .describe(
      'lldb-dap 20 or newer: a path, or a name that is looked for on the PATH, also with its version behind it.',
    ),
  'adapters.debugpy': z
    .string()
    .min(1)
    .max(4096)
    .default('python3')
    .describe(
      'A Python that has debugpy, which stops programs of Python where that is asked for: a path, or a name that is looked for on the PATH.',
    ),
  'adapters.named': z
    .array(
      z
        .string()
        .max(4096)
        .regex(/^[a-z][a-z0-9-]{0,40}=\S.*$/, 'expected "name=command with arguments"'),
    )
    .max(20)
    .default([])
    .describe(
      'Other debuggers of machine code that speak the Debug Adapter Protocol on their input and output: "name=command with arguments", parted at spaces.',
    ),
  'adapters.use': z
    .string()
    .min(1)
    .max(100)
    .default('fits')
    .describe(
      'Who stops programs where a request does not say: "fits" (Delve for Go, else Strobe), "strobe", "gdb", "lldb", "delve", or a name of adapters.named; "debugpy" means programs of Python.',
    ),
  'vision.command': z
    .array(z.string().min(1).max(4096))
    .max(50)
    .default([])
    .describe(
      'A program with its arguments that finds elements in what a program paints itself, by a model for instance: it gets a PNG on stdin and writes {"elements": [{"role", "name", "x", "y", "width", "height", "value", "confidence"}]} within 8 s; boxes in pixels, value and confidence from 0 to 1.',
    ),
  'log.levels': z
    .string()
    .regex(/^(\w[\w.]*=)?(error|warn|info|debug)(,(\w[\w.]*=)?(error|warn|info|debug))*$/)
    .default('info')
    .describe('What the daemon logs: a level, or level per tag as in "info,rpc=debug".'),
  'log.maxBytes': z
    .int()
    .min(65_536)
    .default(8 * mebi)
    .describe("Size at which the daemon's log is put aside; one older file is kept."),
});

/** All settings with their values. */
export type Settings = Readonly<z.output<typeof settingsSchema>>;

export type SettingName = keyof Settings;

/**
 * What a project's file may set, for it comes from a repository: limits only to less, lists only to
 * more. Everything else is the user's own.
 */
export const projectMay: Readonly<Partial<Record<SettingName, 'lower' | 'add'>>> = {
  'events.maxPerSession': 'lower',
  'output.maxBytesPerSession': 'lower',
  'ring.bytesPerThread': 'lower',
  'ring.overflowBytes': 'lower',
  'ring.slots': 'lower',
  'sampling.callsPerSecond': 'lower',
  'sampling.rate': 'lower',
  'redaction.names': 'add',
};

/**
 * Read anew for each session; the others count from the daemon's next start on.
 * @public for the generated page of settings
 */
export const readPerSession: readonly SettingName[] = [
  'crashes.alwaysExplained',
  'events.maxPerSession',
  'output.maxBytesPerSession',
  'ring.bytesPerThread',
  'ring.overflowBytes',
  'ring.slots',
  'sampling.callsPerSecond',
  'sampling.rate',
  'redaction.names',
];

export const settingNames = Object.keys(settingsSchema.shape).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingsSchema.shape, name);
}

/** The variable that sets it: `events.maxPerSession` → `STROBE_EVENTS_MAX_PER_SESSION`. */
export function settingVariable(name: SettingName): string {
  if (name === 'log.levels') return 'STROBE_LOG';
  return `STROBE_${name
    .replaceAll('.', '_')
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`;
}
