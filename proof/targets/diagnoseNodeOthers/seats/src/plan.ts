export interface Plan {
  name: string;
  rows: string[][];
}

const small: Plan = {
  name: 'small',
  rows: [
    ['a1', 'a2'],
    ['b1', 'b2'],
  ],
};

export function planFor(name: string): Plan {
  return { ...small, name };
}
