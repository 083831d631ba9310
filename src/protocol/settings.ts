import { z } from 'zod';

/** Who may set it. A project's file comes from a repository: it may only narrow. */
export type SettingScope = 'user' | 'project: lower only';

interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly default: z.output<Schema>;
  readonly scope: SettingScope;
  /** One sentence for people. */
  readonly meaning: string;
}

function setting<Schema extends z.ZodType>(row: Setting<Schema>): Setting<Schema> {
  return row;
}

const mebi = 1 << 20;
const powerOfTwo = z
  .int()
  .min(1 << 16)
  .max(1 << 30)
  .refine((bytes) => (bytes & (bytes - 1)) === 0, { message: 'must be a power of two' });

/** Every setting, declared once: loader, schema file and page are derived from it. */
export const settings = {
  'daemon.idleMinutes': setting({
    schema: z.number().min(0.01).max(10_080),
    default: 30,
    scope: 'user',
    meaning: 'Minutes without client and session after which the daemon ends.',
  }),
  'retention.days': setting({
    schema: z.number().min(0).max(3650),
    default: 7,
    scope: 'user',
    meaning: 'Days a retained session is kept after its end.',
  }),
  'retention.endedHours': setting({
    schema: z.number().min(0).max(87_600),
    default: 24,
    scope: 'user',
    meaning: 'Hours a session that was not retained is kept after its end.',
  }),
  'retention.maxBytes': setting({
    schema: z.int().min(16 * mebi),
    default: 10_240 * mebi,
    scope: 'user',
    meaning: 'Bytes all sessions may take together; the oldest go first.',
  }),
  'events.maxPerSession': setting({
    schema: z.int().min(1000),
    default: 200_000_000,
    scope: 'project: lower only',
    meaning: 'Events kept per session; what comes after is counted as lost.',
  }),
  'output.maxBytesPerSession': setting({
    schema: z.int().min(4096),
    default: 256 * mebi,
    scope: 'project: lower only',
    meaning: 'Bytes of output kept per session; what comes after is counted as lost.',
  }),
  'ring.bytesPerThread': setting({
    schema: powerOfTwo,
    default: 4 * mebi,
    scope: 'project: lower only',
    meaning: 'Bytes of the ring each traced thread writes to; a power of two.',
  }),
  'ring.slots': setting({
    schema: z.int().min(1).max(4096),
    default: 128,
    scope: 'project: lower only',
    meaning: 'Threads of one process that can have a ring at the same time.',
  }),
  'answer.budget': setting({
    schema: z.int().min(200).max(50_000),
    default: 2000,
    scope: 'project: lower only',
    meaning: 'Tokens an answer may have when the request does not say.',
  }),
  'frida.transport': setting({
    schema: z.enum(['auto', 'python', 'addon']),
    default: 'auto',
    scope: 'user',
    meaning: 'Who speaks to Frida: the Python package or the npm addon; auto takes the proven one.',
  }),
  'frida.python': setting({
    schema: z.string().min(1),
    default: 'python3',
    scope: 'user',
    meaning: 'The Python that Frida is installed for and run with.',
  }),
  'log.levels': setting({
    schema: z.string().regex(/^(\w[\w.]*=)?(error|warn|info|debug)(,(\w[\w.]*=)?(error|warn|info|debug))*$/),
    default: 'info',
    scope: 'user',
    meaning: 'What the daemon logs: a level, or level per tag as in "info,rpc=debug".',
  }),
  'log.maxBytes': setting({
    schema: z.int().min(65_536),
    default: 8 * mebi,
    scope: 'user',
    meaning: "Size at which the daemon's log is put aside; one older file is kept.",
  }),
} as const;

export type SettingName = keyof typeof settings;

/** All settings with their values. */
export type Settings = { readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> };

export const settingNames = Object.keys(settings).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/** The variable that sets it: `events.maxPerSession` → `STROBE_EVENTS_MAX_PER_SESSION`. */
export function settingVariable(name: SettingName): string {
  if (name === 'log.levels') return 'STROBE_LOG';
  return `STROBE_${name.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
