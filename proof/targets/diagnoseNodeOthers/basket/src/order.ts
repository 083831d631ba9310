import { field, type Form } from './form.ts';

export interface Order {
  pieces: number;
  gift: number;
}

export function orderFrom(form: Form): Order {
  return { pieces: field(form, 'pieces'), gift: field(form, 'gift') };
}
