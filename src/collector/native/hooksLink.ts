/** The calls into the target that hooks take. */
export interface HooksLink {
  call<T>(method: string, args: readonly unknown[], data?: Uint8Array): Promise<T>;
}
