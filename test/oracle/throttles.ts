import { type Account, billed, type Vm } from './account.ts';
import { debtOf } from './books.ts';
import { arrears } from './charges.ts';
import type { PriceList } from './tariff.ts';
import { amountOf, endOf, running, usedIn } from './usage.ts';

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
