import type { FrameVariable } from '../../../model/endings/crashReport.ts';
import type { Value } from '../../../model/questions/query.ts';
import { valueText, type ValueStyle } from '../text/valueText.ts';

const style: ValueStyle = { verbose: false, reasons: true };
/** Characters of a value. */
const usual = 160;
/** What the compiler adds says what the source line says. */
const added = /^__(?:for_(?:range|begin|end)|PRETTY_FUNCTION__|FUNCTION__|func__)$/;

/** A variable's value, as values of traces are written; what is not known says why. */
export function variableValue(value: Value): string {
  return valueText(value, style);
}

/** `account=0x55d0{id=7}`; of one above `longest` characters less is followed, and it is cut where it says so. */
export function variableText(variable: FrameVariable, longest = usual): string {
  const text = variableValue(variable.value);
  const isWhole = text.length <= longest || variable.value.kind === 'notCaptured';
  if (isWhole) return `${variable.name}=${text}`;
  const short = variableValue(followed(variable.value, 1));
  const shown = short.length > longest ? `${short.slice(0, longest)}…` : short;
  return `${variable.name}=${shown}`;
}

/** Variables that the source declares. */
export function declared(variables: readonly FrameVariable[]): FrameVariable[] {
  return variables.filter(({ name }) => !added.test(name));
}

/** The value, with the number of pointers followed one after the other. */
function followed(value: Value, levels: number): Value {
  const inner = (one: Value): Value => followed(one, levels);
  switch (value.kind) {
    case 'pointer': {
      const { target, ...address } = value;
      return target && levels > 0 ? { ...value, target: followed(target, levels - 1) } : address;
    }
    case 'variant':
      return value.value ? { ...value, value: inner(value.value) } : value;
    case 'list':
      return { ...value, items: value.items.map((item) => followed(item, levels - 1)) };
    case 'map': {
      const entries = value.entries.map((entry) => ({
        key: entry.key,
        value: followed(entry.value, levels - 1),
      }));
      return { ...value, entries };
    }
    case 'object': {
      const fields = value.object.fields.map((field) => ({ ...field, value: inner(field.value) }));
      return { ...value, object: { ...value.object, fields } };
    }
    default:
      return value;
  }
}
