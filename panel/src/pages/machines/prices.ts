import { decimalsOf } from '../../../../shared/currencies.ts';

/** Money as the service has it: integers and decimal strings, so that nothing shown is off by a rounding of floats. */

interface Size {
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
}

const MICROS = 1_000_000n;
const MB_PER_GB = 1024n;

/** A decimal such as "0.045" in millionths. */
export function parseMicros(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,6})\d*)?$/.exec(text);
  if (!match) throw new RangeError(`${text} is no price`);
  const value = BigInt(match[2]!) * MICROS + BigInt((match[3] ?? '').padEnd(6, '0'));
  return match[1] ? -value : value;
}

const halfUp = (value: bigint, parts: bigint) => (2n * value + parts) / (2n * parts);

/**
 * What a month of a custom size costs, worked out as the service does: while a slider moves, before the quote that
 * decides is there.
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

/** What is lacking in a wallet, 0 where it is enough. */
export const shortfall = (priceMinor: number, availableMinor: number) =>
  Math.max(0, priceMinor - availableMinor);
