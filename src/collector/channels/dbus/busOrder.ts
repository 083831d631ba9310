import { StrobeError } from '../../../model/errors.ts';
import type { BusCall } from '../../ui/bus/busConnection.ts';
import type { BusValue } from '../../ui/bus/busValue.ts';

const form =
  /^\s*(?<destination>[\w.:-]+)\s+(?<path>\/\S*)\s+(?<interface>[\w.-]+)\.(?<member>\w+)(?:\s+(?<signature>[a-z(){}]+)\s+(?<values>\[.*\]))?\s*$/s;

/** A call as it is sent: `org.example.App /org/example/App org.gtk.Actions.List`, with values `s ["save"]`. Throws BAD_PARAMETER. */
export function busOrder(text: string): BusCall {
  const parts = form.exec(text)?.groups;
  if (!parts) throw bad('it has not the form of a call');
  const { destination = '', path = '', interface: named = '', member = '' } = parts;
  const { signature = '', values = '[]' } = parts;
  return { destination, path, interface: named, member, signature, values: valuesIn(values) };
}

function valuesIn(text: string): BusValue[] {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read.map(valueOf) : [];
  } catch {
    throw bad('its values are no JSON');
  }
}

function valueOf(read: unknown): BusValue {
  if (typeof read === 'string' || typeof read === 'number' || typeof read === 'boolean')
    return read;
  if (Array.isArray(read)) return read.map(valueOf);
  if (typeof read === 'object' && read !== null && 'signature' in read && 'value' in read)
    return { signature: String(read.signature), value: valueOf(read.value) };
  throw bad('a value is neither a text, a number, true, false, a list nor {"signature","value"}');
}

function bad(why: string): StrobeError {
  return new StrobeError(
    'BAD_PARAMETER',
    `This cannot be sent over D-Bus: ${why}.`,
    'Give the text DESTINATION /PATH INTERFACE.METHOD; with values: DESTINATION /PATH INTERFACE.METHOD s ["save"] (a signature and a JSON list).',
  );
}
