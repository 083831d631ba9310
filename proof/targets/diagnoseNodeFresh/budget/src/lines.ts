export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
