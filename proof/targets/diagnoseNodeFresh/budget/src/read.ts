/** `rent: 700` */
export function amountOf(line: string): any {
  return line.slice(line.indexOf(':') + 1).trim();
}
