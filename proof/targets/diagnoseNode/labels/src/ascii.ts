export function clean(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '').trim();
}
