import { parseMailAddress } from '../platform/mail-address.ts';
import type { Kind } from './setting-kinds.ts';

/** Kinds for texts shown to people, and for mails and payments. */

const MAX_LINE = 60;

/** One line of text for people. */
export const line: Kind<string> = {
  expected: `1 to ${MAX_LINE} visible characters and spaces`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_LINE },
  parse: (text) => (isLine(text, MAX_LINE) ? text : undefined),
};

/**
 * Rejects control characters and those that change the writing direction, because the line appears in headers and
 * terminals.
 */
const isLine = (text: string, longest: number) =>
  /\S/.test(text) && !/\p{C}/u.test(text) && text.length <= longest;

/** `#2563eb` */
export const color: Kind<string> = {
  expected: 'a colour such as #2563eb',
  schema: { type: 'string' },
  parse: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined),
};

/** A link for people. */
export const webPage: Kind<string> = {
  expected: 'an http:// or https:// address',
  schema: { type: 'string' },
  parse(text) {
    const url = URL.parse(text);
    return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : undefined;
  },
};

/** A link for people, or `mailto:help@example.com`. */
export const contact: Kind<string> = {
  expected: 'an http://, https:// or mailto: address',
  schema: { type: 'string' },
  parse(text) {
    if (!text.startsWith('mailto:')) return webPage.parse(text);
    return parseMailAddress(text.slice('mailto:'.length)) === undefined ? undefined : text;
  },
};

/** Words from a closed list, each at most once; in a file, a list. */
export function someOf<const T extends string>(words: readonly T[]): Kind<readonly T[]> {
  return {
    expected: `some of ${words.join(', ')}, separated by commas`,
    schema: { type: 'array', items: { enum: [...words] } },
    parse(text) {
      const entries = text === '' ? [] : text.split(',').map((entry) => entry.trim());
      const known = entries.flatMap((entry) => words.find((word) => word === entry) ?? []);
      return known.length === entries.length && new Set(known).size === known.length ? known : undefined;
    },
  };
}

export interface Mailbox {
  name: string;
  address: string;
}

/** `Example Hosting <no-reply@example.com>`, or only the address. */
export const mailbox: Kind<Mailbox> = {
  expected: 'an address such as no-reply@example.com, or Example Hosting <no-reply@example.com>',
  schema: { type: 'string' },
  parse(text) {
    const [, name = '', bare] = /^([^<>"]*)<([^<>]+)>$/.exec(text) ?? [];
    const address = parseMailAddress(bare ?? text);
    if (address === undefined || (name !== '' && !isLine(name, MAX_LINE))) return undefined;
    return { name: name.trim(), address };
  },
};

export interface SmtpServer {
  host: string;
  port: number;
  /** `implicit`: TLS from the first byte; `required`: STARTTLS or nothing; `off`: never. */
  tls: 'implicit' | 'required' | 'off';
  user: string;
  password: string;
}

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
/** The machine itself: no one can eavesdrop in between. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** `smtps://user:password@mail.example.com`, `smtp://127.0.0.1:25` */
export const smtpServer: Kind<SmtpServer> = {
  expected:
    'an address such as smtps://user:password@mail.example.com, or smtp:// for STARTTLS, with ?tls=off if the server has no TLS',
  schema: { type: 'string' },
  parse(text) {
    const url = URL.parse(text);
    if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname || url.hash) return undefined;
    if (!/^\/?$/.test(url.pathname) || !/^(\?tls=off)?$/.test(url.search)) return undefined;
    const implicit = url.protocol === 'smtps:';
    if (implicit && url.search) return undefined;
    const plain = url.search !== '' || LOOPBACK.test(url.hostname);
    const [user, password] = [unescaped(url.username), unescaped(url.password)];
    if (user === undefined || password === undefined) return undefined;
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (implicit ? SMTPS_PORT : SMTP_PORT),
      tls: implicit ? 'implicit' : plain ? 'off' : 'required',
      user,
      password,
    };
  },
};

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A bank account with valid check digits, without spaces. */
export const iban: Kind<string> = {
  expected: 'an IBAN',
  schema: { type: 'string' },
  parse(text) {
    const compact = text.replace(/\s/g, '').toUpperCase();
    if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(compact)) return undefined;
    const digits = (compact.slice(4) + compact.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
      String(letter.charCodeAt(0) - 55),
    );
    return BigInt(digits) % 97n === 1n ? compact : undefined;
  },
};

export const bic: Kind<string> = {
  expected: 'a BIC of 8 or 11 characters',
  schema: { type: 'string' },
  parse: (text) => (/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text) ? text : undefined),
};
