/** Seconds from the beginning of the year 1 to those of 1885 and 1970. */
const to1885 = 59_453_308_800n;
const to1970 = 62_135_596_800n;
const mostSeconds = 8_640_000_000_000n;

/**
 * A time of Go by its two words, as it writes it itself in UTC. With the highest bit of `wall` seconds since 1885 stand
 * above the 30 bits of nanoseconds, and `ext` is another clock's; else `ext` holds seconds since the year 1. Null: no date has a name.
 */
export function momentText(wall: bigint, ext: bigint): string | null {
  const isShort = wall >> 63n === 1n;
  const seconds = isShort ? ((wall >> 30n) & 0x1ffffffffn) + to1885 : BigInt.asIntN(64, ext);
  const nanoseconds = wall & 0x3fffffffn;
  const unix = seconds - to1970;
  if (nanoseconds >= 1_000_000_000n || unix > mostSeconds || unix < -mostSeconds) return null;
  const whole = new Date(Number(unix) * 1000).toISOString().slice(0, -'.000Z'.length);
  const part = String(nanoseconds).padStart(9, '0').replace(/0+$/, '');
  return `${whole}${part === '' ? '' : `.${part}`}Z`;
}

const parts = {
  hour: 3_600_000_000_000n,
  minute: 60_000_000_000n,
  second: 1_000_000_000n,
} as const;

/** A duration of Go in nanoseconds, as it writes it itself: `1h30m0s`, `1.5s`, `20µs`. */
export function durationText(nanoseconds: bigint): string {
  const [sign, whole] = nanoseconds < 0n ? ['-', -nanoseconds] : ['', nanoseconds];
  if (whole === 0n) return '0s';
  if (whole < 1000n) return `${sign}${whole}ns`;
  if (whole < 1_000_000n) return `${sign}${decimal(whole, 1000n)}µs`;
  if (whole < parts.second) return `${sign}${decimal(whole, 1_000_000n)}ms`;
  const hours = whole / parts.hour;
  const minutes = (whole % parts.hour) / parts.minute;
  const seconds = `${decimal(whole % parts.minute, parts.second)}s`;
  if (whole < parts.minute) return `${sign}${seconds}`;
  return `${sign}${hours > 0n ? `${hours}h` : ''}${minutes}m${seconds}`;
}

/** Without zeros at its end. */
function decimal(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const rest = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return `${value / unit}${rest === '' ? '' : `.${rest}`}`;
}
