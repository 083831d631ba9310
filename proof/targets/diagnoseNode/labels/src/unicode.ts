export function clean(text: string): string {
  return text.normalize('NFC').replace(/\p{C}/gu, '').trim();
}
