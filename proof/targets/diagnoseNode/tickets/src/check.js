export function missing(form, ticket) {
  return form.fields.map(({ name }) => name).filter((name) => !ticket[name]);
}
