import type { VmPeriod } from '../../db/queries/vms/vm-parts.ts';
import { readableTime } from '../../platform/readable-time.ts';
import type { EventText } from '../vms/events.ts';
import { toJsonInteger } from './money.ts';
import type { Throttle } from './throttle.ts';

const effect = (mbps: number) => (mbps === 0 ? 'blocked' : `limited to ${mbps} Mbit/s`);

/** Most of the included traffic has been sent. When it is used up, the VM will be throttled or its traffic stopped. */
export function trafficNearlyUsed(
  vm: Pick<VmPeriod, 'billing_period_end_at'>,
  percent: number,
  { used_bytes, included_bytes }: { used_bytes: bigint; included_bytes: bigint },
  mbps: number,
): EventText {
  return {
    type: 'billing.traffic_used',
    message: `${percent} % of the traffic that is included until ${readableTime(vm.billing_period_end_at)} has been used. Once it is used up, the network will be ${effect(mbps)}.`,
    metadata: {
      percent,
      due_at: vm.billing_period_end_at,
      used_bytes: toJsonInteger(used_bytes),
      included_bytes: toJsonInteger(included_bytes),
      throttle_mbps: mbps,
    },
  };
}

export function throttled(vm: Pick<VmPeriod, 'billing_period_end_at'>, { mbps, cause }: Throttle): EventText {
  const until = vm.billing_period_end_at;
  const result = `Its network is ${effect(mbps)}`;
  return cause === 'included_traffic'
    ? {
        type: 'billing.traffic_limited',
        message: `The VM has used up the traffic included in its period. ${result} until ${readableTime(until)}, or until you change to a plan with more traffic.`,
        metadata: { throttle_mbps: mbps, due_at: until },
      }
    : {
        type: 'billing.usage_unpaid',
        message: `The wallet does not cover the usage of the account. ${result} until you top up.`,
        metadata: { throttle_mbps: mbps },
      };
}
