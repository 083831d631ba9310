/** Two forms, one content: `structured` fits the tool's output schema. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: object;
  /** A picture beside the text; `data` is base64. */
  readonly image?: { readonly mimeType: string; readonly data: string };
}
