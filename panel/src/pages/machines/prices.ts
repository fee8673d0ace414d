import { decimalsOf } from '../../../../shared/currencies.ts';

/** Money in integers and decimal strings, as in the service: floats would show rounding errors. */

interface Size {
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
}

const MICROS = 1_000_000n;
const MB_PER_GB = 1024n;

/** Parses a decimal such as "0.045" into millionths. Throws a RangeError if it is not a number. */
export function parseMicros(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,6})\d*)?$/.exec(text);
  if (!match) throw new RangeError(`${text} is not a price`);
  const value = BigInt(match[2]!) * MICROS + BigInt((match[3] ?? '').padEnd(6, '0'));
  return match[1] ? -value : value;
}

const halfUp = (value: bigint, parts: bigint) => (2n * value + parts) / (2n * parts);

/**
 * Computes the monthly price of a custom size as the service does, to show a price while a slider moves. The service's
 * quote decides.
 */
export function customMonthlyMinor(
  size: Size,
  components: readonly { component: 'vcpu' | 'ram' | 'disk'; price_monthly: string }[],
  currency: string,
): number | undefined {
  const price = (name: 'vcpu' | 'ram' | 'disk') => {
    const found = components.find(({ component }) => component === name);
    return found && parseMicros(found.price_monthly);
  };
  const [vcpu, ram, disk] = [price('vcpu'), price('ram'), price('disk')];
  if (vcpu === undefined || ram === undefined || disk === undefined) return undefined;
  const micros =
    BigInt(size.vcpu) * vcpu + halfUp(BigInt(size.ram_mb) * ram, MB_PER_GB) + BigInt(size.disk_gb) * disk;
  return Number(halfUp(micros, 10n ** BigInt(6 - decimalsOf(currency))));
}

/** An amount without the tax in it, at a rate such as "0.19". */
export function netMinor(minor: number, rate: string): number {
  const share = parseMicros(rate);
  return minor - Number(halfUp(BigInt(minor) * share, MICROS + share));
}

/** The same of a decimal price, with six digits. */
export function netPrice(text: string, rate: string): string {
  const net = halfUp(parseMicros(text) * MICROS, MICROS + parseMicros(rate));
  return `${net / MICROS}.${`${net % MICROS}`.padStart(6, '0')}`;
}

/** Returns the missing amount, 0 if the wallet is sufficient. */
export const shortfall = (priceMinor: number, availableMinor: number) =>
  Math.max(0, priceMinor - availableMinor);
