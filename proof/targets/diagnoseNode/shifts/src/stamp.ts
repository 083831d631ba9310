export interface Stamp {
  person: string;
  at: Date;
}

export function stampFrom(line: string): Stamp {
  const [person = '', time = ''] = line.split(' ');
  return { person, at: new Date(time) };
}
