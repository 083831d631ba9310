export function field(name, type = 'text') {
  return { name, type };
}
