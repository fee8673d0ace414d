import type { PortForwardRow } from '../../../db/queries/vms/network.ts';
import { Enum, Id, Input, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { RuleStatus } from './firewall-rule-shape.ts';

const Protocol = Enum(['tcp', 'udp', 'tcp_udp'], {
  $id: 'PortForwardProtocol',
  description: '`tcp_udp` uses the port for both',
});
const Port = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: 65_535, description, examples: [example] });
const Description = Type.String({ maxLength: 200 });

export const PortForwardShape = Shape(
  {
    id: Id('pfr'),
    protocol: Protocol,
    external_port: Port('Port of `public_ip`', 20_022),
    internal_port: Port('Port of the VM', 22),
    internal_ip: Type.String({ format: 'ipv4', description: 'Address of the VM' }),
    public_ip: Type.String({ format: 'ipv4', description: "The region's shared address" }),
    description: Nullable(Description),
    status: RuleStatus,
    created_at: Timestamp(),
  },
  { $id: 'PortForward', description: 'A port of a shared public address that leads to a VM' },
);

export const PortForwardInput = Input({
  protocol: Protocol,
  external_port: Type.Optional(
    Nullable(Port('Public port; if absent or null, a free one is chosen', 20_022)),
  ),
  internal_port: Port('Port of the VM', 22),
  internal_ip: Type.Optional(
    Type.String({ format: 'ipv4', description: "One of the VM's addresses; defaults to its `ipv4`" }),
  ),
  description: Type.Optional(Nullable(Description)),
});

export function presentPortForward(forward: PortForwardRow) {
  return {
    id: forward.id,
    protocol: forward.protocol,
    external_port: forward.external_port,
    internal_port: forward.internal_port,
    internal_ip: forward.internal_ip,
    public_ip: forward.public_ip,
    description: forward.description,
    status: forward.status,
    created_at: forward.created_at,
  };
}

export const examplePortForward = {
  id: 'pfr_01ke1y6v4t0x6z8b2d4f6h8k0m',
  protocol: 'tcp',
  external_port: 22022,
  internal_port: 22,
  internal_ip: '100.64.0.2',
  public_ip: '192.0.2.10',
  description: 'SSH',
  status: 'pending',
  created_at: '2026-01-05T09:50:00.000Z',
};
