import { pageEvents } from '../ui/page/pageLog.ts';
import type { Channel } from './channel.ts';
import { onTimeline } from './clockedEvent.ts';

/** What pages of a browser write to their console, request and throw. */
export const page: Channel = {
  name: 'page',
  state: ({ shows }) =>
    shows === 'pages'
      ? {
          kind: 'open',
          text: 'console, requests and exceptions of its pages; not those before its first page was seen',
        }
      : {
          kind: 'unavailable',
          text: 'the program is no Chromium that was launched with "ui": true',
          next: 'debug_launch {"command":"chromium","args":["http://127.0.0.1:8080/"],"ui":true}; or trace the server: channel net.',
        },
  output: {
    kind: 'kept',
    events: ({ view, directory }) => Promise.resolve(onTimeline(pageEvents(directory), view)),
  },
};
