import { type Account, billed, type Vm } from './account.ts';
import { debtOf } from './books.ts';
import { arrears } from './charges.ts';
import type { Charge } from './lines.ts';
import { Rational } from './rational.ts';
import type { PriceList, Product } from './tariff.ts';
import { amountOf, endOf, restOfVolume, running, usedIn } from './usage.ts';

/** VMs whose included traffic is used up, and the refund for traffic that they give up. */

/**
 * Returns the part of a refund that a VM forgoes when it becomes another product or is deleted (null): the share of the
 * given-up traffic that it has already sent.
 */
export function keptForTraffic(
  vm: Vm,
  to: Product | null,
  now: number,
  list: PriceList,
  { total }: Charge,
): bigint {
  const terms = vm.meter.terms.at(-1)!;
  if (total >= 0n || terms.included === null || terms.traffic) return 0n;
  if (to && (to.bandwidth === null || endOf(to.plan, list) === null)) return 0n;
  const { ending } = usedIn(vm, running(vm), now, list)[0]!;
  const rest = (gb: bigint) => restOfVolume(vm, gb, now);
  const givenUp = rest(terms.included) - rest(to?.bandwidth ?? 0n);
  const left = ending!.included - givenUp;
  const over = ending!.used - left;
  if (over <= 0n) return 0n;
  if (givenUp <= 0n || over >= givenUp) return -total;
  return new Rational(-total * over, givenUp).ceil();
}

/** The service checks the traffic of all VMs of an account. */
export function throttle(account: Account, now: number, list: PriceList): void {
  const vms = billed(account).map((vm) => {
    const due = arrears(vm, now, list);
    return { vm, use: due.length > 0 ? due.flatMap((one) => one.use) : usedIn(vm, running(vm), now, list) };
  });
  const open = vms.reduce((total, { use }) => total + amountOf(use), debtOf(account));
  const bound = list.usage?.max_unpaid_minor;
  const isOver = bound !== undefined && open > account.available + BigInt(bound);
  for (const { vm, use } of vms) {
    const causes: NonNullable<Vm['throttle']>[] = [];
    const mbps = endOf(vm.product.plan, list);
    const { ending } = usedIn(vm, running(vm), now, list)[0]!;
    if (mbps !== null && vm.product.bandwidth !== null && ending && ending.used >= ending.included)
      causes.push({ mbps, cause: 'included_traffic' });
    if (isOver && use.some(({ traffic }) => traffic > 0n))
      causes.push({ mbps: BigInt(list.usage?.throttle_mbps ?? 1), cause: 'unpaid_usage' });
    vm.throttle = causes.reduce<Vm['throttle']>(
      (slowest, one) => (slowest && slowest.mbps <= one.mbps ? slowest : one),
      null,
    );
  }
}
