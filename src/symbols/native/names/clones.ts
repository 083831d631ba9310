/**
 * What compilers put behind the name of a copy or piece of a function: `.isra.0`, `.constprop.0.cold`,
 * `.llvm.1234`. Most have a number: a function of Go may be named `main.part`. Rust's legacy names hold such words with dots
 * around them, but never at their end.
 */
const endings =
  /(?:\.(?:(?:isra|constprop|lto_priv|llvm|clone|specialized|part)\.\d+|(?:localalias|argprom|argelim|retelim|cold)(?:\.\d+)?))+$/;

/** The name of what it was copied from. Link-time optimisation numbers equal names: `….1996`. */
export function withoutEndings(symbol: string): string {
  if (!symbol.includes('.')) return symbol;
  const name = symbol.replace(endings, '');
  return /^_[ZR]/.test(name) ? name.replace(/\.\d+$/, '') : name;
}

/** A piece that was split off a function: nobody calls it. */
export function isPiece(symbol: string): boolean {
  return symbol.includes('.') && /\.(?:cold|part)\b/.test(endings.exec(symbol)?.[0] ?? '');
}

/** A copy whose parameters may differ from those of its source. */
export function hasChangedSignature(symbol: string): boolean {
  return (
    symbol.includes('.') &&
    /\.(?:isra|constprop|specialized|argprom|argelim|retelim)\b/.test(
      endings.exec(symbol)?.[0] ?? '',
    )
  );
}
