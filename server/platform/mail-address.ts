import { domainToASCII } from 'node:url';

/** Limits of SMTP: RFC 5321, 4.5.3.1. */
const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;
/**
 * An unquoted local part. Quoted ones are legal but unused; spaces and special characters in them are used to forge
 * headers.
 */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * Returns an address that mail can be sent to, with its domain in lower case and in ASCII. Undefined for anything else,
 * such as a name, a list of addresses, or text that would continue in another header.
 */
export function parseMailAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  if (at < 1 || local.length > MAX_LOCAL_PART || !LOCAL_PART.test(local)) return undefined;
  const domain = domainToASCII(text.slice(at + 1)).toLowerCase();
  const address = `${local}@${domain}`;
  return DOMAIN.test(domain) && address.length <= MAX_ADDRESS ? address : undefined;
}
