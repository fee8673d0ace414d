import { InvalidArgumentError } from 'commander';

const UNIT_MS = { d: 86_400_000, h: 3_600_000 };

/** Adds `vms=10` to the limits so far. The service checks the names. */
export function collectLimit(text: string, limits: Record<string, number> = {}): Record<string, number> {
  const [, name, value] = /^([a-z_]+)=(\d{1,15})$/.exec(text) ?? [];
  if (!name) throw new InvalidArgumentError('Use a name and a whole number, such as vms=10.');
  return { ...limits, [name]: Number(value) };
}

export function collectName(text: string, names: string[] = []): string[] {
  return [...names, text];
}

/** Parses `30d` or `12h` from now, or an RFC 3339 time stamp with a zone. Returns an RFC 3339 time stamp in UTC. */
export function parseTimeAhead(text: string): string {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const at = count
    ? Date.now() + Number(count) * UNIT_MS[unit as 'd' | 'h']
    : isInstant
      ? Date.parse(text)
      : NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('Use 2027-01-01T00:00:00Z, 30d or 12h.');
  return new Date(at).toISOString();
}

/** Splits `a,b` into a list. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Parses a whole number. The service checks its bounds. */
export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Use a whole number.');
  return Number(text);
}

/**
 * Parses a day such as 2026-01-31, which begins at midnight UTC, or an RFC 3339 time stamp. Returns an RFC 3339 time
 * stamp in UTC.
 */
export function parseDay(text: string): string {
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('Use 2026-01-31 or 2026-01-31T12:00:00Z.');
  return new Date(at).toISOString();
}

/** The option that makes an action idempotent. */
export const KEY = [
  '--key <key>',
  'your name for this action; a repetition with the same name returns the first result',
] as const;

export const ACCOUNT = ['<account>', 'id of the account, acc_…'] as const;
export const AMOUNT = ['<amount>', 'such as 50 or 49.90, in the currency of the catalog'] as const;
export const MONTH = ['--month <month>', 'such as 2026-01, in UTC'] as const;
export const TARGET = ['<target>', 'id of the target, tgt_…'] as const;
export const TENANT = ['<tenant>', 'id of the tenant, ten_…'] as const;
