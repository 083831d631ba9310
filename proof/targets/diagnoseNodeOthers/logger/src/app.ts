import { Logger } from './logger.ts';

export function app(): { audit: Logger; plain: Logger } {
  return { audit: new Logger({ level: 'audit' }), plain: new Logger() };
}
