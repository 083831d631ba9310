import type { ErrorCode } from '../model/errors.ts';
import { manifest } from './manifest.ts';

/** A failure of the client itself; errors of the daemon come as answers. */
export class ClientError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint?: string) {
    super(message);
    this.name = 'ClientError';
    this.code = code;
    this.hint = hint ?? manifest.errors[code]?.hint ?? '';
  }

  get text(): string {
    return `${this.code}: ${this.message}\nNext: ${this.hint}`;
  }
}
