export function hourOf(moment: Date): number {
  return moment.getHours();
}

export function isNight(hour: number): boolean {
  return hour >= 22 || hour < 6;
}
