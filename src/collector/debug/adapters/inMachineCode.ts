/** What is the same of adapters that stop machine code. */
export const inMachineCode = {
  inSource: false,
  // What a program raises is its own matter.
  configuration: [['setExceptionBreakpoints', { filters: [] }]],
  awaits: null,
  threadInName: null,
  typesRaised: '',
} as const;
