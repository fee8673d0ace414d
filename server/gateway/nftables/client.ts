import type { PortForwardEntry } from '../../compute/network-policy.ts';
import { HelperClient } from '../../helpers/client.ts';
import type { Operation } from '../../helpers/gateway/operations.ts';
import {
  type GatewayCapabilities,
  type GatewayDriver,
  type GatewayReport,
  GatewayUnavailableError,
} from '../driver.ts';

type Allowed = Pick<GatewayCapabilities, 'publicPorts' | 'guestPrefixes'>;

/** This host's gateway for a service without privileges, which talks to the privileged helper. */
export class GatewayClient extends HelperClient<Operation> implements GatewayDriver {
  readonly name = 'nftables';
  #allowed: Allowed = { publicPorts: [], guestPrefixes: [] };

  constructor(path: string) {
    super({
      path,
      what: 'the gateway helper',
      unavailable: (message) => new GatewayUnavailableError(message),
    });
  }

  capabilities(): GatewayCapabilities {
    return { forwards: 'here', ...this.#allowed };
  }

  async applyForwards(forwards: PortForwardEntry[]): Promise<void> {
    await this.call('apply', { forwards });
  }

  protected override async configure(): Promise<GatewayReport> {
    const found = (await this.call('probe', {})) as GatewayReport & Allowed;
    const { publicPorts, guestPrefixes, ...report } = found;
    this.#allowed = { publicPorts, guestPrefixes };
    return report;
  }
}
