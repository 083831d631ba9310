import { statFields } from '../../../base/proc.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { Box } from '../box.ts';
import {
  BusConnection,
  busItself,
  type BusCall,
  type BusReply,
  type BusSignal,
} from '../bus/busConnection.ts';
import { heldBy, listOf, numberOf, textOf, type BusValue } from '../bus/busValue.ts';
import { objectEvents } from './objectEvents.ts';
import { roleNames, stateNames } from './roleNames.ts';

/** An object of a program, by the program's name on the bus and its own path. */
export interface Reference {
  readonly bus: string;
  readonly path: string;
}

export interface Application extends Reference {
  readonly pid: number;
  readonly toolkit: string;
  readonly version: string;
}

/** An object as one answer about the whole program tells it. */
export interface CachedObject extends Described {
  readonly reference: Reference;
  /** Null where the program says only how many there are. */
  readonly children: readonly Reference[] | null;
  readonly parent: Reference;
  readonly index: number;
  readonly childCount: number;
}

export interface Described {
  readonly role: string;
  readonly name: string;
  readonly states: ReadonlySet<string>;
  readonly interfaces: ReadonlySet<string>;
}

const prefix = 'org.a11y.atspi.';
const LIMIT_MS = 1000;
/** A program that runs may get so little of the processor. */
const BUSY_MS = 5000;
const registry = { bus: `${prefix}Registry`, path: '/org/a11y/atspi/accessible/root' };
const nothing = '/org/a11y/atspi/null';
const MOST_TEXT = 200;

/**
 * Everything that is ever asked of a program's widgets. Anything else may harm it: `Properties.GetAll` ends programs of
 * Qt 5, methods of interfaces that an object does not list make toolkits print warnings, and so do texts beyond their end.
 */
export const methods = {
  children: ['Accessible', 'GetChildren', ''],
  role: ['Accessible', 'GetRole', ''],
  states: ['Accessible', 'GetState', ''],
  interfaces: ['Accessible', 'GetInterfaces', ''],
  items: ['Cache', 'GetItems', ''],
  extents: ['Component', 'GetExtents', 'u'],
  focus: ['Component', 'GrabFocus', ''],
  text: ['Text', 'GetText', 'ii'],
  setText: ['EditableText', 'SetTextContents', 's'],
  act: ['Action', 'DoAction', 'i'],
  select: ['Selection', 'SelectChild', 'i'],
  isSelected: ['Selection', 'IsChildSelected', 'i'],
} as const;

/** The one door to the accessibility bus of a stage. */
export class Accessibility {
  readonly #bus: BusConnection;
  /** By their names on the bus. */
  readonly #pids = new Map<string, number>();

  private constructor(bus: BusConnection) {
    this.#bus = bus;
  }

  /** `session`: the address of the session bus, which knows the other one. */
  static async open(
    session: string,
    onSignal: (signal: BusSignal) => void,
  ): Promise<Accessibility> {
    const asking = await BusConnection.open(session, () => undefined);
    try {
      const { values } = await asking.ask(
        {
          destination: 'org.a11y.Bus',
          path: '/org/a11y/bus',
          interface: 'org.a11y.Bus',
          member: 'GetAddress',
        },
        LIMIT_MS * 5,
      );
      const bus = await BusConnection.open(textOf(values[0]), onSignal);
      await bus.ask(
        busItself('AddMatch', `type='signal',interface='${prefix}Event.Window'`),
        LIMIT_MS,
      );
      const opened = new Accessibility(bus);
      await opened.#register('RegisterEvent', 'window:');
      return opened;
    } finally {
      asking.close();
    }
  }

  /** Events cost the program time: of objects only while somebody acts. `toolkits`: of the program. */
  async watchObjects(isOn: boolean, toolkits: Iterable<string>): Promise<void> {
    const rule = `type='signal',interface='${prefix}Event.Object'`;
    await this.#bus.ask(busItself(isOn ? 'AddMatch' : 'RemoveMatch', rule), LIMIT_MS);
    const member = isOn ? 'RegisterEvent' : 'DeregisterEvent';
    await Promise.all(objectEvents(toolkits).map(async (event) => this.#register(member, event)));
  }

  /** Programs that publish their widgets, those without any left out. */
  async applications(): Promise<Application[]> {
    const found = await this.children(registry);
    const read = await Promise.all(found.map(async (one) => this.#application(one)));
    return read.filter((one) => one !== null);
  }

  async #application(reference: Reference): Promise<Application | null> {
    try {
      const [pid, toolkit, version] = await Promise.all([
        this.#bus.ask(busItself('GetConnectionUnixProcessID', reference.bus), LIMIT_MS),
        this.#property(reference, 'Application', 'ToolkitName'),
        this.#property(reference, 'Application', 'Version'),
      ]);
      this.#pids.set(reference.bus, numberOf(pid.values[0]));
      return {
        ...reference,
        pid: numberOf(pid.values[0]),
        toolkit: textOf(toolkit),
        version: textOf(version),
      };
    } catch (error) {
      if (error instanceof StrobeError) throw error; // It does not answer.
      return null; // It is ending.
    }
  }

  async children(of: Reference): Promise<Reference[]> {
    const { values } = await this.#call(of, 'children');
    return listOf(values[0])
      .map(referenceOf)
      .filter(({ path }) => path !== nothing);
  }

  async states(of: Reference): Promise<ReadonlySet<string>> {
    const { values } = await this.#call(of, 'states');
    return statesIn(listOf(values[0]));
  }

  async describe(of: Reference): Promise<Described> {
    const [role, name, states, interfaces] = await Promise.all([
      this.#call(of, 'role'),
      this.#property(of, 'Accessible', 'Name'),
      this.states(of),
      this.#call(of, 'interfaces'),
    ]);
    return described(role.values[0], textOf(name), states, listOf(interfaces.values[0]));
  }

  /** All objects of a program at once; null where its toolkit does not do that. */
  async everything(application: Application): Promise<CachedObject[] | null> {
    const at = { bus: application.bus, path: '/org/a11y/atspi/cache' };
    const reply = await this.#call(at, 'items').catch((error: unknown) => {
      if (error instanceof StrobeError) throw error;
      return null;
    });
    if (reply === null) return null;
    const counts = reply.signature.startsWith('a((so)(so)(so)ii');
    return listOf(reply.values[0]).map((item) => cached(listOf(item), counts));
  }

  async extents(of: Reference, isOfScreen: boolean): Promise<Box> {
    const { values } = await this.#call(of, 'extents', isOfScreen ? 0 : 1);
    const [x, y, width, height] = listOf(values[0]).map(numberOf);
    return { x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 };
  }

  /** Only as long as it is: beyond its end toolkits print warnings. */
  async text(of: Reference): Promise<string> {
    const length = numberOf(await this.#property(of, 'Text', 'CharacterCount'));
    if (length <= 0) return '';
    const { values } = await this.#call(of, 'text', 0, Math.min(length, MOST_TEXT));
    return textOf(values[0]);
  }

  async value(of: Reference): Promise<{ now: number; low: number; high: number }> {
    const names = ['CurrentValue', 'MinimumValue', 'MaximumValue'];
    const [now, low, high] = await Promise.all(
      names.map(async (name) => numberOf(await this.#property(of, 'Value', name))),
    );
    return { now: now ?? 0, low: low ?? 0, high: high ?? 0 };
  }

  async setValue(of: Reference, value: number): Promise<void> {
    await this.#ask({
      destination: of.bus,
      path: of.path,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Set',
      signature: 'ssv',
      values: [`${prefix}Value`, 'CurrentValue', { signature: 'd', value }],
    });
  }

  async setText(of: Reference, text: string): Promise<void> {
    await this.#call(of, 'setText', text);
  }

  /** The first action of an object: what a click on it does. */
  async act(of: Reference): Promise<void> {
    await this.#call(of, 'act', 0);
  }

  async focus(of: Reference): Promise<void> {
    await this.#call(of, 'focus');
  }

  async select(of: Reference, index: number): Promise<void> {
    await this.#call(of, 'select', index);
  }

  async isSelected(of: Reference, index: number): Promise<boolean> {
    const { values } = await this.#call(of, 'isSelected', index);
    return values[0] === true;
  }

  /** Returns once the program has come round to answer. */
  async ping(of: Reference): Promise<void> {
    await this.#call(of, 'role');
  }

  close(): void {
    this.#bus.close();
  }

  async #call(
    of: Reference,
    method: keyof typeof methods,
    ...values: readonly (string | number)[]
  ): Promise<BusReply> {
    const [group, member, signature] = methods[method];
    const call = { destination: of.bus, path: of.path, interface: `${prefix}${group}`, member };
    return await this.#ask({ ...call, signature, values });
  }

  async #ask(call: BusCall): Promise<BusReply> {
    return await this.#bus.ask(call, LIMIT_MS, () => {
      const pid = this.#pids.get(call.destination);
      return pid === undefined || isStopped(pid) ? LIMIT_MS : BUSY_MS;
    });
  }

  async #property(of: Reference, group: string, name: string): Promise<BusValue | undefined> {
    const { values } = await this.#ask({
      destination: of.bus,
      path: of.path,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      values: [`${prefix}${group}`, name],
    });
    return heldBy(values[0]);
  }

  /** Older registries take the event alone. */
  async #register(member: 'RegisterEvent' | 'DeregisterEvent', event: string): Promise<void> {
    const call = {
      destination: registry.bus,
      path: '/org/a11y/atspi/registry',
      interface: `${prefix}Registry`,
      member,
    };
    const isNew = member === 'RegisterEvent';
    await this.#bus
      .ask(
        { ...call, signature: isNew ? 'sas' : 's', values: isNew ? [event, []] : [event] },
        LIMIT_MS * 5,
      )
      .catch(async () => this.#bus.ask({ ...call, signature: 's', values: [event] }, LIMIT_MS))
      .catch(() => undefined);
  }
}

/** By a signal or by a debugger. */
function isStopped(pid: number): boolean {
  return /^t$/i.test(statFields(pid)?.[0] ?? '');
}

function referenceOf(value: BusValue | undefined): Reference {
  const [bus, path] = listOf(value);
  return { bus: textOf(bus), path: textOf(path) };
}

function described(
  role: BusValue | undefined,
  name: string,
  states: ReadonlySet<string>,
  interfaces: readonly BusValue[],
): Described {
  return {
    role: roleNames[numberOf(role)] ?? 'unknown',
    name,
    states,
    interfaces: new Set(interfaces.map((one) => textOf(one).replace(prefix, ''))),
  };
}

function statesIn(states: readonly BusValue[]): ReadonlySet<string> {
  const words = states.map(numberOf);
  return new Set(
    stateNames.filter((_, bit) => (((words[bit >> 5] ?? 0) >>> (bit & 31)) & 1) === 1),
  );
}

function cached(item: readonly BusValue[], counts: boolean): CachedObject {
  const [own, , parent, first, second] = item;
  const [interfaces, name, role, , states] = item.slice(counts ? 5 : 4);
  return {
    ...described(role, textOf(name), statesIn(listOf(states)), listOf(interfaces)),
    reference: referenceOf(own),
    parent: referenceOf(parent),
    children: counts ? null : listOf(first).map(referenceOf),
    index: counts ? numberOf(first) : 0,
    childCount: counts ? numberOf(second) : listOf(first).length,
  };
}
