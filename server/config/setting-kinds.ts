import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseCidr } from '../platform/cidr.ts';
import { parseCpuList } from '../platform/cpu-list.ts';
import { parseKeys256 } from '../platform/keys256.ts';
import { postgresServers } from '../platform/postgres-address.ts';
import type { TSchema } from '../platform/schema.ts';

/** A kind of setting: its format in the environment and in a file, and the value parsed from it. */
export interface Kind<T> {
  /** Completes "must be …". */
  expected: string;
  /** Schema of the value in the configuration file; the value's text form is also passed to `parse`. */
  schema: TSchema;
  /** Returns the value, or undefined if `text` is not of this kind. */
  parse(text: string): T | undefined;
}

export interface ListenAddress {
  host: string;
  port: number;
}

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:0` (0: any free port). */
export const listenAddress: Kind<ListenAddress> = {
  expected: 'host:port, such as 127.0.0.1:8080 or [::1]:8080',
  schema: { type: 'string' },
  parse(text) {
    const [, ipv6, name, digits] = /^(?:\[([^\]]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? [];
    const host = ipv6 ?? name;
    const port = Number(digits);
    if (host === undefined || port > 65_535 || (ipv6 !== undefined && isIP(ipv6) !== 6)) return undefined;
    return { host, port };
  },
};

/** `unix:/run/gobgpd/api.sock`, `127.0.0.1:50051`: a gRPC server on this host only, because it has no passwords. */
export const localGrpc: Kind<string> = {
  expected: 'unix: and an absolute path, or a port of loopback such as 127.0.0.1:50051',
  schema: { type: 'string' },
  parse(text) {
    const port = /^(?:127\.0\.0\.1|\[::1\]):(\d{1,5})$/.exec(text)?.[1];
    const isLocal =
      /^unix:\/[\x21-\x7e]+$/.test(text) || (port && Number(port) > 0 && Number(port) <= 65_535);
    return isLocal ? text : undefined;
  },
};

/** `65535:666`, a BGP community. */
export const community: Kind<string> = {
  expected: 'a BGP community such as 65535:666',
  schema: { type: 'string' },
  parse(text) {
    const parts = /^(\d{1,5}):(\d{1,5})$/.exec(text)?.slice(1).map(Number);
    return parts?.every((part) => part <= 65_535) ? text : undefined;
  },
};

/** A path; a relative one is resolved against the working directory at start. */
export const path: Kind<string> = {
  expected: 'a path',
  schema: { type: 'string', minLength: 1 },
  parse: (text) => resolve(text),
};

/** `postgres://user:password@host/database`, or with several hosts, of which the one that takes writes is used. */
export const postgresUrl: Kind<string> = {
  expected: 'an address that begins with postgres:// or postgresql://, of one to nine hosts',
  schema: { type: 'string' },
  parse: (text) => (postgresServers(text) ? text : undefined),
};

/** An origin, optionally with a base path; without a trailing slash. */
export const baseUrl: Kind<string> = {
  expected: 'an http:// or https:// address without user, query or fragment',
  schema: { type: 'string' },
  parse(text) {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) return undefined;
    if (url.username || url.password || url.search || url.hash) return undefined;
    return url.href.replace(/\/+$/, '');
  },
};

/** A name or a key that fits into an HTTP header and a log line. */
export const word: Kind<string> = {
  expected: '1 to 300 printable characters without spaces',
  schema: { type: 'string', minLength: 1, maxLength: 300 },
  parse: (text) => (/^[\x21-\x7e]{1,300}$/.test(text) ? text : undefined),
};

/** `10.0.0.0/8, 192.0.2.1`; in a file, a list. */
export const networks: Kind<readonly string[]> = {
  expected: 'addresses or CIDRs separated by commas',
  schema: { type: 'array', items: { type: 'string' } },
  parse(text) {
    const entries = text === '' ? [] : text.split(',').map((entry) => entry.trim());
    return entries.every((entry) => isIP(entry) !== 0 || parseCidr(entry)?.hasHostBits === false)
      ? entries
      : undefined;
  },
};

/** `192.0.2.1, 2001:db8::1`; in a file, a list. */
export const addresses: Kind<readonly string[]> = {
  expected: 'addresses separated by commas',
  schema: { type: 'array', items: { type: 'string' } },
  parse(text) {
    const entries = text.split(',').map((entry) => entry.trim());
    return entries.every((entry) => isIP(entry) !== 0) ? entries : undefined;
  },
};

/** `eu-central-a, eu-central-b`; in a file, a list. */
export const words: Kind<readonly string[]> = {
  expected: 'words separated by commas',
  schema: { type: 'array', items: { type: 'string' } },
  parse(text) {
    const entries = text.split(',').map((entry) => entry.trim());
    return entries.every((entry) => word.parse(entry) !== undefined) ? entries : undefined;
  },
};

/** `2-7,10`: CPUs by number. */
export const cpus: Kind<readonly number[]> = {
  expected: 'CPUs by number, such as 2-7,10',
  schema: { type: 'string' },
  parse: parseCpuList,
};

/** `https://panel.example, https://beta.panel.example`; in a file, a list. Each as a browser sends it in `Origin`. */
export const origins: Kind<readonly string[]> = {
  expected: 'origins such as https://panel.example, without a path, separated by commas',
  schema: { type: 'array', items: { type: 'string' } },
  parse(text) {
    const entries = text === '' ? [] : text.split(',').map((entry) => URL.parse(entry.trim()));
    // No browser sends an origin with a wildcard, so one configured here would silently match nothing.
    const isOrigin = (url: URL | null) =>
      url !== null && /^https?:\/\/[^*]+\/$/.test(url.href) && url.href === `${url.origin}/`;
    return entries.every(isOrigin) ? entries.map((url) => url!.origin) : undefined;
  },
};

/** 32 bytes in base64 or hexadecimal. */
export const keys256: Kind<[Buffer, ...Buffer[]]> = {
  expected: '32 bytes in base64 or hexadecimal, or several such keys separated by commas',
  schema: { type: 'string' },
  parse: parseKeys256,
};

/** One word of a closed list. */
export function oneOf<const T extends string>(words: readonly T[]): Kind<T> {
  return {
    expected: `one of ${words.join(', ')}`,
    schema: { enum: [...words] },
    parse: (text) => words.find((word) => word === text),
  };
}

/** A whole number, bounds included. */
export function integer(minimum: number, maximum: number): Kind<number> {
  return {
    expected: `a whole number from ${minimum} to ${maximum}`,
    schema: { type: 'integer', minimum, maximum },
    parse: (text) => inRange(/^\d+$/, text, minimum, maximum),
  };
}

/** A number of seconds, fractions allowed, bounds included. */
export function seconds(minimum: number, maximum: number): Kind<number> {
  return {
    expected: `a number of seconds from ${minimum} to ${maximum}`,
    schema: { type: 'number', minimum, maximum },
    parse: (text) => inRange(/^\d+(\.\d+)?$/, text, minimum, maximum),
  };
}

function inRange(form: RegExp, text: string, minimum: number, maximum: number): number | undefined {
  const value = Number(text);
  return form.test(text) && value >= minimum && value <= maximum ? value : undefined;
}
