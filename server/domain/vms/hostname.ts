import { isIP } from 'node:net';
import { invalidField } from '../../platform/errors.ts';

const LABEL = '[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';

/** RFC 1123 host names: labels of at most 63 letters, digits and hyphens. The fields limit the length of the whole. */
export const HOSTNAME_PATTERN = `^${LABEL}(\\.${LABEL})*$`;

/** Refuses an IPv4 address, which has the form of a host name but is none. */
export function requireHostname(hostname: string): void {
  if (isIP(hostname) !== 0)
    throw invalidField('hostname', 'invalid_format', 'must be a name, not an address');
}
