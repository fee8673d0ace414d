import { Type } from '../../platform/schema.ts';

/** The consequence of using up the traffic included in a VM's period. */
export const TRAFFIC_ACTIONS = ['bill', 'throttle', 'stop'] as const;
export type TrafficAction = (typeof TRAFFIC_ACTIONS)[number];

/** The fields for the end of the included traffic: of a plan, of custom sizes, or the default for both. */
export const trafficEndFields = (otherwise: string) => ({
  at_included: Type.Optional(
    Type.Enum(TRAFFIC_ACTIONS, {
      description: `Consequence when a VM has used up the traffic included in its period: \`bill\` charges further traffic at traffic_per_gb, \`throttle\` slows the VM down to throttle_mbps, \`stop\` blocks its traffic until the next period. Defaults to ${otherwise}`,
    }),
  ),
  throttle_mbps: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'Maximum speed for sending and for receiving, each in Mbit/s, once the included traffic is used up; defaults to that of `usage`',
    }),
  ),
});

const Volume = Type.Integer({ minimum: 0, maximum: 1_000_000 });

/** Monthly traffic that a custom size includes, in GB per unit of the size. */
export const UnitVolumes = Type.Object(
  { vcpu: Volume, ram_gb: Volume, disk_gb: Volume },
  {
    additionalProperties: false,
    description:
      'Included traffic per month in GB for each virtual CPU, GB of memory and GB of disk, rounded up to whole GB; unmetered if absent',
  },
);

export const MaxUnpaid = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000,
  description:
    "Maximum amount by which the open usage of an account's VMs may exceed its wallet, in the smallest units of the currency, before VMs whose traffic is charged are throttled to the throttle_mbps of `usage` or to 1 Mbit/s; no bound if absent",
});
