import { askedRequest, toldUnit } from '../../model/channels/channelFunctions.ts';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';

/** Of which the preload tells by what Node itself tells (src/collector/node/preload/requests.ts). */
export const toldFunctions: readonly Omit<SourceFunction, 'depth'>[] = [
  {
    runtime: 'node',
    id: `${toldUnit}\u{0}0`,
    unit: toldUnit,
    file: toldUnit,
    name: askedRequest,
    signature: `${askedRequest}(method, url)`,
    qualifiedName: 'request',
    firstLine: 1,
    line: 1,
    column: 1,
    offset: 0,
    kind: 'function',
    parameters: ['method', 'url'],
  },
];
