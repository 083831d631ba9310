import type { DeepValue, FrameVariable } from '../../model/crash.ts';
import { valueText, type ValueStyle } from './values.ts';

const plain: ValueStyle = { verbose: false };
const longest = 160;

/** A value with its members: `{id: 7, owner: "ann"}`; what is not known says why. */
export function deepText(value: DeepValue): string {
  switch (value.kind) {
    case 'struct': {
      const members = value.members.map((member) => `${member.name}: ${deepText(member.value)}`);
      if (value.more > 0) members.push(`…+${value.more}`);
      return `{${members.join(', ')}}`;
    }
    case 'array': {
      const elements = value.elements.map(deepText);
      if (value.more > 0) elements.push(`…+${value.more}`);
      return `[${elements.join(', ')}]`;
    }
    case 'pointee':
      return `${value.address} → ${deepText(value.value)}`;
    case 'words':
      return value.text;
    case 'notCaptured':
      return /compiler did not keep/.test(value.reason)
        ? '<optimised out>'
        : `<unknown: ${value.reason}>`;
    case 'int':
    case 'float':
    case 'bool':
    case 'char':
    case 'enum':
    case 'pointer':
    case 'string':
    case 'unreadable':
    case 'null':
    case 'void':
    case 'redacted':
    case 'list':
    case 'map':
    case 'variant':
    case 'circular':
    case 'object':
      return valueText(value, plain);
  }
}

/** `account=0x55d0 → {id: 7}`; a long one is cut where it says so. */
export function variableText(variable: FrameVariable): string {
  const text = deepText(variable.value);
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return `${variable.name}=${shown}`;
}
