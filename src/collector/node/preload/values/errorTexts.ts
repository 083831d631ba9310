import { descriptorOf, isNativeError, isProxy, prototypeOf } from '../intrinsics.ts';
import { className } from '../names.ts';

const MOST_PROTOTYPES = 32;

/** Whether a value is an error, or one that another thread sent, which Node makes out of its parts. */
export function isError(value: unknown): value is Error {
  return isNativeError(value) || isSentError(value);
}

export function isSentError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null || isProxy(value)) return false;
  const stack = descriptorOf(value, 'stack');
  return (
    typeof stack?.value === 'string' &&
    stack.enumerable === false &&
    typeof descriptorOf(value, 'message')?.value === 'string'
  );
}

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
