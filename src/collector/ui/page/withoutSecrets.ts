import { secretIn, secretNames } from '../../../model/values/redaction.ts';

/** An address without what secret names in its query stand for. */
export function withoutSecrets(address: string): string {
  return address.replaceAll(/([?&])([^=&#]*)=([^&#]*)/g, (pair, mark: string, name: string) =>
    secretIn(name, secretNames) === null ? pair : `${mark}${name}=…`,
  );
}
