import type { Catalog, Plan } from '../catalog/catalog-schema.ts';
import {
  currencyExponent,
  divideRoundHalfUp,
  formatMicros,
  hourlyPrice,
  microsToMinor,
  minorToMicros,
  parseMicros,
} from './money.ts';
import { addMonth, type Period, remainingDebit, unusedCredit } from './period.ts';

/** A VM's size. */
export interface Size {
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
}

/** What is sold: a size at a monthly price, by plan or custom (`plan` null). */
export interface Configuration extends Size {
  plan: string | null;
  name: string;
  bandwidth_gb: number | null;
  price_monthly_minor: bigint;
}

/** One line of a quote, an order or an invoice. Amounts include tax; a credit is negative. */
export interface ChargeLine {
  description: string;
  quantity: number;
  unit: string;
  /** Price of one unit, a decimal in major units. */
  unit_price: string;
  amount_minor: bigint;
  from_at: Date;
  to_at: Date;
  proration: boolean;
}

/** What an operation costs at one instant: the one source of quotes and charges. */
export interface Charge {
  lines: ChargeLine[];
  /** Sum of the lines: positive is to pay, negative is given back. */
  total_minor: bigint;
}

export function planConfiguration(plan: Plan, currency: string): Configuration {
  const { code, name, vcpu, ram_mb, disk_gb, bandwidth_gb } = plan;
  const price_monthly_minor = microsToMinor(parseMicros(plan.price_monthly), currency);
  return { plan: code, name, vcpu, ram_mb, disk_gb, bandwidth_gb, price_monthly_minor };
}

const MB_PER_GB = 1024n;

/** A configuration of any size, at the catalog's unit prices; its traffic is unmetered. */
export function customConfiguration({ vcpu, ram_mb, disk_gb }: Size, catalog: Catalog): Configuration {
  const unit = catalog.custom.price_monthly;
  const micros =
    BigInt(vcpu) * parseMicros(unit.vcpu) +
    divideRoundHalfUp(BigInt(ram_mb) * parseMicros(unit.ram_gb), MB_PER_GB) +
    BigInt(disk_gb) * parseMicros(unit.disk_gb);
  const name = `Custom ${vcpu} vCPU, ${ram_mb} MB, ${disk_gb} GB`;
  return {
    plan: null,
    name,
    vcpu,
    ram_mb,
    disk_gb,
    bandwidth_gb: null,
    price_monthly_minor: microsToMinor(micros, catalog.currency),
  };
}

/** The hourly price of a configuration, for display. */
export function configurationHourly(priceMonthlyMinor: bigint, currency: string): string {
  return hourlyPrice(minorToMicros(priceMonthlyMinor, currency));
}

function sum(lines: ChargeLine[]): Charge {
  return { lines, total_minor: lines.reduce((total, line) => total + line.amount_minor, 0n) };
}

function line(
  description: string,
  amount: bigint,
  price: bigint,
  currency: string,
  period: Period,
  proration: boolean,
): ChargeLine {
  return {
    description,
    quantity: 1,
    unit: 'month',
    unit_price: formatMicros(minorToMicros(price, currency), currencyExponent(currency)),
    amount_minor: amount,
    from_at: period.startAt,
    to_at: period.endAt,
    proration,
  };
}

/** The first period of a VM that is bought now. */
export function firstPeriod(now: Date): Period {
  return { startAt: now, endAt: addMonth(now, now.getUTCDate()) };
}

/** A month of `configuration`, from the start of `period`: a purchase or a renewal. */
export function monthCharge(configuration: Configuration, period: Period, currency: string): Charge {
  const price = configuration.price_monthly_minor;
  return sum([line(configuration.name, price, price, currency, period, false)]);
}

/** Going from one configuration to another at `now`, within the running period. */
export function changeCharge(
  from: Configuration,
  to: Configuration,
  period: Period,
  now: Date,
  currency: string,
): Charge {
  const rest = { startAt: now < period.endAt ? now : period.endAt, endAt: period.endAt };
  const credit = unusedCredit(from.price_monthly_minor, period, now);
  const debit = remainingDebit(to.price_monthly_minor, period, now);
  return sum([
    line(`Unused time on ${from.name}`, -credit, from.price_monthly_minor, currency, rest, true),
    line(`Remaining time on ${to.name}`, debit, to.price_monthly_minor, currency, rest, true),
  ]);
}

/** Giving a VM up at `now`: the unused rest of its period, as a negative charge. */
export function deletionCharge(from: Configuration, period: Period, now: Date, currency: string): Charge {
  const rest = { startAt: now < period.endAt ? now : period.endAt, endAt: period.endAt };
  const credit = unusedCredit(from.price_monthly_minor, period, now);
  return sum([line(`Unused time on ${from.name}`, -credit, from.price_monthly_minor, currency, rest, true)]);
}
