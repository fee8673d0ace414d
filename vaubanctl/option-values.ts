import { InvalidArgumentError } from 'commander';

const UNIT_MS = { d: 86_400_000, h: 3_600_000 };

/** Adds `vms=10` to the limits given so far. Whether there is such a limit, the service knows. */
export function collectLimit(text: string, limits: Record<string, number> = {}): Record<string, number> {
  const [, name, value] = /^([a-z_]+)=(\d{1,15})$/.exec(text) ?? [];
  if (!name) throw new InvalidArgumentError('Write it as a name and a whole number, such as vms=10.');
  return { ...limits, [name]: Number(value) };
}

/** `30d`, `12h` from now, or an RFC 3339 instant with its zone; as an RFC 3339 instant in UTC. */
export function parseExpiry(text: string): string {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const at = count
    ? Date.now() + Number(count) * UNIT_MS[unit as 'd' | 'h']
    : isInstant
      ? Date.parse(text)
      : NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('Write it as 2027-01-01T00:00:00Z, 30d or 12h.');
  return new Date(at).toISOString();
}

/** `a,b` as a list. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A whole number. Whether it is too large, the service knows. */
export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Write it as a whole number.');
  return Number(text);
}
