import { parseMailAddress } from '../platform/mail-address.ts';
import type { Kind } from './setting-kinds.ts';

/** Kinds of what people see, and of what mails and payments need. */

const MAX_LINE = 60;

/** One line of text for people. */
export const line: Kind<string> = {
  expected: `1 to ${MAX_LINE} visible characters and spaces`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_LINE },
  parse: (text) => (isLine(text, MAX_LINE) ? text : undefined),
};

/** Without control characters, and without those that turn the direction of writing: it stands in headers and in terminals. */
const isLine = (text: string, longest: number) =>
  /\S/.test(text) && !/\p{C}/u.test(text) && text.length <= longest;

/** `#2563eb` */
export const color: Kind<string> = {
  expected: 'a colour such as #2563eb',
  schema: { type: 'string' },
  parse: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined),
};

/** A page that people are sent to. */
export const webPage: Kind<string> = {
  expected: 'an http:// or https:// address',
  schema: { type: 'string' },
  parse(text) {
    const url = URL.parse(text);
    return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : undefined;
  },
};

/** The same, or `mailto:help@example.com`. */
export const contact: Kind<string> = {
  expected: 'an http://, https:// or mailto: address',
  schema: { type: 'string' },
  parse(text) {
    if (!text.startsWith('mailto:')) return webPage.parse(text);
    return parseMailAddress(text.slice('mailto:'.length)) === undefined ? undefined : text;
  },
};

/** Words of a closed list, each once, or a list in a file. */
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

/** Who a mail comes from. */
export interface Mailbox {
  name: string;
  address: string;
}

/** `Example Hosting <no-reply@example.com>`, or the address alone. */
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

/** A server that takes mail, and how it is spoken to. */
export interface SmtpServer {
  host: string;
  port: number;
  /** `implicit`: from the first byte; `required`: by STARTTLS, or not at all; `off`: never. */
  tls: 'implicit' | 'required' | 'off';
  user: string;
  password: string;
}

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
/** The machine itself: no one can listen on the way. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** `smtps://user:password@mail.example.com`, `smtp://127.0.0.1:25` */
export const smtpServer: Kind<SmtpServer> = {
  expected:
    'an address such as smtps://user:password@mail.example.com, or smtp:// for STARTTLS, with ?tls=off where there is none',
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

/** An account at a bank, with its check digits right; without spaces. */
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

/** A bank. */
export const bic: Kind<string> = {
  expected: 'a BIC of 8 or 11 characters',
  schema: { type: 'string' },
  parse: (text) => (/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text) ? text : undefined),
};
