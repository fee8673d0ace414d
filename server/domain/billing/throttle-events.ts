import type { VmRow } from '../../db/queries/vms.ts';
import type { EventText } from '../vms/events.ts';
import { toJsonInteger } from './money.ts';
import type { Throttle } from './throttle.ts';

const effect = (mbps: number) => (mbps === 0 ? 'closed' : `limited to ${mbps} Mbit/s`);

/** Most of the included traffic has been sent. When it is used up, the VM will be throttled or its traffic stopped. */
export function trafficNearlyUsed(
  vm: VmRow,
  percent: number,
  { used_bytes, included_bytes }: { used_bytes: bigint; included_bytes: bigint },
  mbps: number,
): EventText {
  return {
    type: 'billing.traffic_used',
    message: `${percent} % of the traffic that is included until ${vm.billing_period_end_at.toISOString()} were sent. When all of it is sent, the network will be ${effect(mbps)}.`,
    metadata: {
      percent,
      due_at: vm.billing_period_end_at,
      used_bytes: toJsonInteger(used_bytes),
      included_bytes: toJsonInteger(included_bytes),
      throttle_mbps: mbps,
    },
  };
}

export function throttled(vm: VmRow, { mbps, cause }: Throttle): EventText {
  const until = vm.billing_period_end_at;
  const result = `Its network is ${effect(mbps)}`;
  return cause === 'included_traffic'
    ? {
        type: 'billing.traffic_limited',
        message: `The VM has sent the traffic that its period includes. ${result} until ${until.toISOString()}, or until it gets a plan with more traffic.`,
        metadata: { throttle_mbps: mbps, due_at: until },
      }
    : {
        type: 'billing.usage_unpaid',
        message: `The wallet does not cover the usage of the account. ${result} until money is added.`,
        metadata: { throttle_mbps: mbps },
      };
}
