import { descriptorOf, isProxy, prototypeOf } from '../intrinsics.ts';
import { className } from '../names.ts';

const MOST_PROTOTYPES = 32;

export function errorName(value: object): string {
  const own: unknown = descriptorOf(value, 'name')?.value;
  return typeof own === 'string' && own !== '' ? own : className(value);
}

export function errorMessage(value: object): string {
  let holder: object | null = value;
  for (let i = 0; holder !== null && !isProxy(holder) && i < MOST_PROTOTYPES; i++) {
    const found = descriptorOf(holder, 'message');
    if (found) return typeof found.value === 'string' ? found.value : '';
    holder = prototypeOf(holder);
  }
  return '';
}
