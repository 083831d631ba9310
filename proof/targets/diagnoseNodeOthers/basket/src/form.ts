export type Form = Record<string, string>;

export function field(form: Form, name: string): any {
  return form[name] ?? '0';
}
