import type { PortForwardEntry } from '../../../server/compute/network-policy.ts';
import type { GatewayCapabilities, GatewayDriver } from '../../../server/gateway/driver.ts';

/** The first region of the catalog. */
export const PUBLIC = '192.0.2.10';

/** A gateway that records its forwards and fails on request. */
export class RecordingGateway implements GatewayDriver {
  readonly name = 'recorder';
  applied: PortForwardEntry[][] = [];
  failing: Error | undefined;
  /** Called during an update. */
  meanwhile: () => Promise<unknown> = async () => {};
  altered: () => void = () => {};
  can: GatewayCapabilities = {
    forwards: 'here',
    publicPorts: [{ address: PUBLIC, ports: '20000-59999' }],
    guestPrefixes: ['100.64.0.0/14'],
  };

  probe = async () => ({ ok: true, summary: 'recorder' });
  capabilities = () => this.can;
  close = async () => {};

  async applyForwards(all: PortForwardEntry[]): Promise<void> {
    await this.meanwhile();
    if (this.failing) throw this.failing;
    this.applied.push(all);
  }

  onAltered(listener: () => void): void {
    this.altered = listener;
  }

  /** Returns the public ports that it forwards now, sorted. */
  get ports(): number[] {
    return (this.applied.at(-1) ?? []).map(({ externalPort }) => externalPort).toSorted();
  }
}
