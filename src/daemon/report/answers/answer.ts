/** Two forms, one content: `structured` fits the tool's output schema. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: object;
}
