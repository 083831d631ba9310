export function memoize<A extends unknown[], R>(make: (...args: A) => R): (...args: A) => R {
  const known = new Map<unknown, R>();
  return function remembered(...args: A): R {
    const [key] = args;
    if (!known.has(key)) known.set(key, make(...args));
    return known.get(key) as R;
  };
}
