export interface Address {
  name: string;
  street: string;
  city: string;
}

export function addressFrom(line: string): Address {
  const [name = '', street = '', city = ''] = line.split(';');
  return { name, street, city };
}
