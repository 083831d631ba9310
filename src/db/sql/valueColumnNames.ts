/** Columns of the table `calls` that a statement defines of values (native/sql/arguments.h). */
export const valueColumnNames: readonly string[] = Array.from(
  { length: 8 },
  (_, i) => `argument_${i}`,
);
