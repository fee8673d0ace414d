import { isSpecial } from './cidr.ts';
import { type Static, Type } from './schema.ts';
import { InvalidArgumentError } from './strict-shapes.ts';

const closed = { additionalProperties: false };
const Port = Type.Integer({ minimum: 1, maximum: 65_535 });

/** A port of a public address that is forwarded to a guest. */
export const ForwardShape = Type.Object(
  {
    protocol: Type.Enum(['tcp', 'udp', 'tcp_udp']),
    publicIp: Type.String({ format: 'address4' }),
    externalPort: Port,
    internalIp: Type.String({ format: 'address4' }),
    internalPort: Port,
  },
  closed,
);
export type Forward = Static<typeof ForwardShape>;

/**
 * An address with the range of its ports ("20000-29999") that may be forwarded to guests, as permitted by the host's
 * owner.
 */
export const PublicPortsShape = Type.Object(
  { address: Type.String({ format: 'address4' }), ports: Type.String({ format: 'ports' }) },
  closed,
);
export type PublicPorts = Static<typeof PublicPortsShape>;

/** Throws {@link InvalidArgumentError} if an address in a configuration can never belong to a single host. */
export function checkPublicPorts(allowed: readonly PublicPorts[]): void {
  for (const [index, { address }] of allowed.entries()) {
    if (isSpecial(address))
      refuse(`forwards.${index}.address`, `${address} is not an address of a single host`);
  }
}

/** Checks ports against the ranges that the host's owner permits. */
export class PublicPortRanges {
  readonly #ranges: { address: string; from: number; to: number }[];

  constructor(allowed: readonly PublicPorts[]) {
    this.#ranges = allowed.map(({ address, ports }) => {
      const [from, to = from] = ports.split('-').map(Number);
      return { address, from: from!, to: to! };
    });
  }

  hasAddress(address: string): boolean {
    return this.#ranges.some((range) => range.address === address);
  }

  /** Returns whether all ports from `from` to `to` lie in one permitted range. */
  hasPorts(address: string, from: number, to = from): boolean {
    return this.#ranges.some((range) => range.address === address && from >= range.from && to <= range.to);
  }

  /** Throws {@link InvalidArgumentError} that names the first field of `forwards` outside the permitted ranges. */
  check(forwards: readonly Forward[], field: string): void {
    const more = "is not allowed by this host's configuration";
    for (const [index, { publicIp, externalPort }] of forwards.entries()) {
      if (!this.hasAddress(publicIp)) refuse(`${field}.${index}.publicIp`, more);
      if (!this.hasPorts(publicIp, externalPort)) refuse(`${field}.${index}.externalPort`, more);
    }
  }
}

export const protocolsOf = ({ protocol }: Pick<Forward, 'protocol'>) =>
  protocol === 'tcp_udp' ? (['tcp', 'udp'] as const) : [protocol];

/**
 * Throws {@link InvalidArgumentError} if an address can never belong to a single host, or if two forwards want the same
 * port: either would fail the whole batch.
 */
export function checkTogether(forwards: readonly Forward[], field: string): void {
  const taken = new Set<string>();
  for (const [index, forward] of forwards.entries()) {
    const { publicIp, externalPort } = forward;
    const at = `${field}.${index}`;
    if (isSpecial(publicIp)) refuse(`${at}.publicIp`, 'cannot be the address of a single host');
    for (const protocol of protocolsOf(forward)) {
      const key = `${publicIp} ${protocol} ${externalPort}`;
      if (taken.has(key)) refuse(`${at}.externalPort`, 'is forwarded already');
      taken.add(key);
    }
  }
}

function refuse(field: string, why: string): never {
  throw new InvalidArgumentError(`${field}: ${why}`);
}
