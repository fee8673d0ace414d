import type { ShieldRuleRow } from '../../../db/queries/shield/shield-rules.ts';
import type { EdgeMatch } from '../../../edge/driver.ts';
import { Enum, Id, Input, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import {
  FRAGMENTS,
  MAX_PACKET_LENGTH,
  MAX_PORT_RANGES,
  NAMED_PROTOCOLS,
  RULE_ACTIONS,
  TCP_FLAGS,
} from '../../../shield/rule.ts';
import { InstantInput } from '../shared/instant-query.ts';

const MAX_PROTOCOL = 255;
/** Faster than any network port. */
const MAX_PPS = 1_000_000_000;
const MAX_BPS = 10_000_000_000_000;

const Action = Enum(RULE_ACTIONS, {
  $id: 'ShieldAction',
  description: '`block` drops matching packets; `rate_limit` lets them pass up to `rate` and drops the rest',
});
const Protocol = Type.Unsafe<EdgeMatch['protocol']>({
  anyOf: [
    { $id: 'ShieldProtocolName', type: 'string', enum: [...NAMED_PROTOCOLS] },
    { type: 'integer', minimum: 0, maximum: MAX_PROTOCOL },
  ],
  description: 'A name, or the number of a protocol without a name here',
  'x-expected': `one of ${NAMED_PROTOCOLS.join(', ')}, or a number from 0 to ${MAX_PROTOCOL}`,
});
const Source = Type.String({
  maxLength: 43,
  description: 'Network of the senders, of the same address family as the target; null for all senders',
  examples: ['203.0.113.0/24'],
});
const Ports = (whose: string) =>
  Type.Array(
    Type.String({
      maxLength: 11,
      description: 'A port or a range, 1 to 65535',
      examples: ['53', '1000-2000'],
    }),
    { maxItems: MAX_PORT_RANGES, description: `${whose}; only for tcp and udp, empty for all ports` },
  );
const length = (text: string) => Type.Integer({ minimum: 0, maximum: MAX_PACKET_LENGTH, description: text });
const PacketLength = Input(
  { min: length('Length of the whole IP packet in bytes, inclusive'), max: length('Included') },
  { $id: 'PacketLength' },
);
const Flags = (text: string) =>
  Type.Array(Enum(TCP_FLAGS, { $id: 'TcpFlag' }), {
    maxItems: TCP_FLAGS.length,
    uniqueItems: true,
    description: text,
  });
const TcpFlags = Input({ set: Flags('Must be set'), unset: Flags('Must not be set') }, { $id: 'TcpFlags' });
const Fragments = Enum(FRAGMENTS, {
  $id: 'ShieldFragments',
  description:
    '`only` matches fragments, including the first; `none` matches whole packets; later fragments carry no ports',
});
const Rate = Type.Unsafe<{ pps: number } | { bps: number }>({
  anyOf: [
    {
      $id: 'PacketRate',
      type: 'object',
      properties: {
        pps: { type: 'integer', minimum: 1, maximum: MAX_PPS, description: 'Packets per second' },
      },
      required: ['pps'],
      additionalProperties: false,
    },
    {
      $id: 'BitRate',
      type: 'object',
      properties: { bps: { type: 'integer', minimum: 1, maximum: MAX_BPS, description: 'Bits per second' } },
      required: ['bps'],
      additionalProperties: false,
    },
  ],
  description: 'The rate that passes, for all senders together; only for the action `rate_limit`',
  'x-expected': `{"pps": …}, from 1 to ${MAX_PPS}, or {"bps": …}, from 1 to ${MAX_BPS}`,
});
const priority = {
  minimum: 0,
  maximum: 1000,
  description:
    'Lower values are checked first, and with the same value the older rule first; the first match decides',
};
const Comment = Type.String({ maxLength: 200 });

export const ShieldRuleShape = Shape(
  {
    id: Id('rul'),
    action: Action,
    protocol: Protocol,
    source: Nullable(Source),
    source_ports: Ports('Ports of the senders'),
    destination_ports: Ports('Ports of the target'),
    packet_length: Nullable(PacketLength),
    tcp_flags: Nullable(TcpFlags),
    fragments: Fragments,
    rate: Nullable(Rate),
    priority: Type.Integer(priority),
    comment: Nullable(Comment),
    expires_at: Nullable(Timestamp('When it is removed automatically')),
    enabled: Type.Boolean(),
    origin: Enum(['user', 'automatic'], {
      $id: 'ShieldRuleOrigin',
      description: '`automatic` rules were created against an attack',
    }),
    status: Enum(['pending', 'active', 'error'], {
      $id: 'ShieldRuleStatus',
      description: '`pending` until the edge has it; `error` is retried automatically',
    }),
    created_at: Timestamp(),
  },
  { $id: 'ShieldRule', description: 'A blocking rule of a protected IP' },
);

export const ShieldRuleInput = Input(
  {
    action: Action,
    protocol: Type.Optional(Type.Unsafe<EdgeMatch['protocol']>({ ...Protocol, default: 'any' })),
    source: Type.Optional(Nullable(Source)),
    source_ports: Type.Optional(Ports('Ports of the senders')),
    destination_ports: Type.Optional(Ports('Ports of the target')),
    packet_length: Type.Optional(Nullable(PacketLength)),
    tcp_flags: Type.Optional(Nullable(TcpFlags)),
    fragments: Type.Optional(Enum(FRAGMENTS, { $id: 'ShieldFragments', default: 'any' })),
    rate: Type.Optional(Nullable(Rate)),
    priority: Type.Optional(Type.Integer({ ...priority, default: 100 })),
    comment: Type.Optional(Nullable(Comment)),
    expires_at: Type.Optional(
      Nullable(
        InstantInput('When it is removed automatically; must be in the future', '2026-12-31T12:00:00Z'),
      ),
    ),
    enabled: Type.Optional(
      Type.Boolean({ default: true, description: 'A disabled rule is kept but has no effect' }),
    ),
    confirm_block_all: Type.Optional(
      Type.Boolean({ description: 'Must be true for a rule that matches every packet' }),
    ),
  },
  {
    examples: [
      { action: 'block', protocol: 'udp', source_ports: ['53'], packet_length: { min: 600, max: 65_535 } },
    ],
  },
);

export function presentShieldRule(rule: ShieldRuleRow) {
  const { match, rate } = rule;
  const { packetLength, tcpFlags } = match;
  return {
    id: rule.id,
    action: rule.action,
    protocol: match.protocol,
    source: match.source,
    source_ports: match.sourcePorts,
    destination_ports: match.destinationPorts,
    packet_length: packetLength && { min: packetLength.min, max: packetLength.max },
    tcp_flags: tcpFlags && { set: tcpFlags.set, unset: tcpFlags.unset },
    fragments: match.fragments,
    rate: rate && { [rate.unit]: rate.value },
    priority: rule.priority,
    comment: rule.comment,
    expires_at: rule.expires_at,
    enabled: rule.enabled,
    origin: rule.origin,
    status: rule.status,
    created_at: rule.created_at,
  };
}

export const exampleShieldRule = {
  id: 'rul_01ke1y8b2d4f6h8k0m2p4r6t8v',
  action: 'block',
  protocol: 'udp',
  source: null,
  source_ports: ['53'],
  destination_ports: [],
  packet_length: { min: 600, max: 65_535 },
  tcp_flags: null,
  fragments: 'any',
  rate: null,
  priority: 100,
  comment: 'Large DNS answers',
  expires_at: null,
  enabled: true,
  origin: 'user',
  status: 'pending',
  created_at: '2026-01-05T11:00:00.000Z',
};
