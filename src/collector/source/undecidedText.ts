/** Of a condition that the tracer in a process could not decide at least once. `of`: a function, or a breakpoint by its label. */
export function undecidedText(of: string): string {
  return `What is asked of ${of} cannot always be decided: a value on the way is missing, or only code of the program could say it (a property, a getter, a proxy). Then it counts as met.`;
}
