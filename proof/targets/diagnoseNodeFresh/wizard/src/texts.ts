const texts = ['Name', 'Address', 'Payment'];

export function stepText(index: number): string {
  return texts[index] ?? 'Done';
}

export function stepCount(): number {
  return texts.length;
}
