import type { Value } from '../../../model/questions/query.ts';
import { ipv6 } from '../values/socketAddress.ts';

/** Levels below a value that are looked through. */
const MOST_LEVELS = 8;

/** The nearest field of this name in what a value holds or leads to. */
export function fieldIn(value: Value | null, name: string): Value | null {
  let level: readonly Value[] = value === null ? [] : [value];
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth++) {
    const fields = level.flatMap(fieldsOf);
    const found = fields.find((field) => field.name === name);
    if (found) return found.value;
    level = fields.map((field) => field.value);
  }
  return null;
}

/** Of what a pointer or an interface leads to as of the thing itself. */
function fieldsOf(value: Value): readonly { readonly name: string; readonly value: Value }[] {
  if (value.kind === 'pointer') return value.target ? fieldsOf(value.target) : [];
  if (value.kind === 'variant') return value.value ? fieldsOf(value.value) : [];
  return value.kind === 'object' ? value.object.fields : [];
}

/** Null: it is no pointer, or nil. */
export function addressIn(value: Value | null): string | null {
  return value?.kind === 'pointer' && !value.isNull ? value.address : null;
}

export function numberIn(value: Value | null): number | null {
  return value?.kind === 'int' ? Number(value.text) : null;
}

const MAPPED = '00000000000000000000ffff';

/** A net.Addr or a syscall.Sockaddr as addresses are written: `127.0.0.1:80`, `[::1]:80`, `unix:/path`; null: it was not captured. */
export function goAddress(value: Value | null): string | null {
  const port = numberIn(fieldIn(value, 'Port'));
  const path = fieldIn(value, 'Name');
  if (port === null) return path?.kind === 'string' ? `unix:${path.text}` : null;
  const bytes = fieldIn(value, 'IP') ?? fieldIn(value, 'Addr');
  if (bytes?.kind !== 'list') return null;
  const ip = Buffer.from(bytes.items.map((item) => numberIn(item) ?? 0));
  const isShort = ip.length === 4 || ip.toString('hex').startsWith(MAPPED);
  if (isShort) return `${[...ip.subarray(-4)].join('.')}:${port}`;
  return ip.length === 16 ? `${ipv6(ip)}:${port}` : `:${port}`;
}

/** The name of the errno that an error holds, else its type; null: it is nil, or was not captured. */
export function goFailure(value: Value | null): string | null {
  return value?.kind === 'variant' ? (errnoIn(value, MOST_LEVELS) ?? value.name) : null;
}

function errnoIn(value: Value, levels: number): string | null {
  if (levels === 0) return null;
  if (value.kind === 'enum') return value.name;
  if (value.kind === 'variant') return value.value ? errnoIn(value.value, levels - 1) : null;
  if (value.kind === 'pointer') return value.target ? errnoIn(value.target, levels - 1) : null;
  for (const field of fieldsOf(value)) {
    const found = errnoIn(field.value, levels - 1);
    if (found !== null) return found;
  }
  return null;
}
