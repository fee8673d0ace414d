import type { NetworkPolicy } from '../../compute/driver.ts';
import type { NetworkGuest } from '../../compute/qemu/network/network.ts';
import { ForwardShape } from '../../platform/public-ports.ts';
import { Type } from '../../platform/schema.ts';
import { checkOf, closed, Id, Nothing } from '../../platform/strict-shapes.ts';

// These values become part of a program that runs as root, so each must match its format exactly.

/** Bounds far above what the API allows a customer, so that one message cannot exhaust the process. */
const MAX_ADDRESSES = 64;
const MAX_RULES = 1_000;
const MAX_CIDRS = 100;
const MAX_FORWARDS = 1_000;
const MAX_GUESTS = 20_000;
/** Ten times what today's network cards can do. */
const MAX_BPS = 1e12;

export const Mac = Type.String({ pattern: '^[0-9a-f][02468ace](:[0-9a-f]{2}){5}$' });
/** A Linux user id, except for root's. */
export const Uid = Type.Integer({ minimum: 1, maximum: 2 ** 32 - 2 });
export const Path = Type.String({ format: 'path', minLength: 2, maxLength: 4096 });
const Action = Type.Enum(['accept', 'drop']);

export const Guest = Type.Object(
  {
    id: Id,
    mac: Mac,
    uid: Type.Optional(Uid),
    addresses: Type.Array(
      Type.Object(
        {
          address: Type.String({ format: 'address' }),
          family: Type.Enum([4, 6]),
          prefix: Type.Integer({ minimum: 0, maximum: 128 }),
          gateway: Type.String({ format: 'address' }),
        },
        closed,
      ),
      { maxItems: MAX_ADDRESSES },
    ),
    directory: Path,
  },
  closed,
);

export const Policy = Type.Object(
  {
    defaultIn: Action,
    defaultOut: Action,
    firewall: Type.Array(
      Type.Object(
        {
          direction: Type.Enum(['in', 'out']),
          action: Action,
          protocol: Type.Enum(['tcp', 'udp', 'icmp', 'icmpv6', 'esp', 'gre', 'any']),
          ports: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'ports' }),
          cidrs: Type.Array(Type.String({ format: 'network' }), { minItems: 1, maxItems: MAX_CIDRS }),
        },
        closed,
      ),
      { maxItems: MAX_RULES },
    ),
    portForwards: Type.Array(ForwardShape, { maxItems: MAX_FORWARDS }),
    smtpOpen: Type.Optional(Type.Boolean()),
    bandwidthBps: Type.Optional(Type.Integer({ minimum: 8_000, maximum: MAX_BPS })),
  },
  closed,
);

export interface GuestAndPolicy {
  guest: NetworkGuest;
  policy: NetworkPolicy;
}
const GuestAndPolicyShape = Type.Object({ guest: Guest, policy: Policy }, closed);
export const Arguments = {
  attach: GuestAndPolicyShape,
  apply: GuestAndPolicyShape,
  // Checks only the ids here: one invalid guest must not cost the others their rules.
  reassert: Type.Object(
    {
      guests: Type.Array(Type.Object({ guest: Type.Object({ id: Id }), policy: Type.Object({}) }, closed), {
        maxItems: MAX_GUESTS,
      }),
    },
    closed,
  ),
  altered: Nothing,
  detach: Type.Object({ id: Id }, closed),
  counters: Type.Object({ ids: Type.Array(Id, { maxItems: MAX_GUESTS }) }, closed),
};

/** Returns only the fields of a guest that the network needs. */
export function plainGuest({ id, mac, uid, addresses, directory }: NetworkGuest): NetworkGuest {
  const plain = addresses.map(({ address, family, prefix, gateway }) => ({
    address,
    family,
    prefix,
    gateway,
  }));
  return { id, mac, ...(uid === undefined ? {} : { uid }), addresses: plain, directory };
}

export const checkGuestAndPolicy: (value: unknown) => asserts value is GuestAndPolicy =
  checkOf<GuestAndPolicy>(GuestAndPolicyShape);
