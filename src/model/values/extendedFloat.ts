/** x87's 80 bits (`long double`, at least 10 bytes), rounded to a double. */
export function extendedFloat(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mantissa = view.getBigUint64(0, true);
  const head = view.getUint16(8, true);
  const sign = (head & 0x8000) === 0 ? 1 : -1;
  const exponent = head & 0x7fff;
  if (exponent === 0x7fff) return BigInt.asUintN(63, mantissa) === 0n ? sign * Infinity : NaN;
  // Two steps, because 2 ** exponent alone may leave the range of a double.
  const power = exponent - 16383 - 63;
  const half = Math.trunc(power / 2);
  return sign * Number(mantissa) * 2 ** half * 2 ** (power - half);
}
