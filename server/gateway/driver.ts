import type { PortForwardEntry } from '../compute/network-policy.ts';
import type { PublicPorts } from '../platform/public-ports.ts';

/**
 * The interface of a region's gateway: the host that has the public address and forwards traffic on its public ports
 * to the guests, wherever they are. A gateway keeps no state that is not in the database: each one is given all
 * forwards, so that one can take over the public address from another.
 *
 * Every method is idempotent. A driver never imports `domain/`. The service calls the methods that change something
 * from one place only, one at a time.
 */
export interface GatewayDriver {
  readonly name: string;
  /** Checks that the gateway works here, and describes in one line for the start-up log what it may forward. */
  probe(): Promise<GatewayReport>;
  capabilities(): GatewayCapabilities;
  /**
   * Replaces all forwards with these in one step; throws if any of them cannot be made, and then changes nothing.
   * Connections through removed forwards end; those through forwards that stay continue. Resolves when both are done.
   */
  applyForwards(all: PortForwardEntry[]): Promise<void>;
  /**
   * Calls `listener` whenever the gateway may no longer hold what it was given, because another process altered it or
   * it was restarted. All forwards must then be applied again.
   */
  onAltered(listener: () => void): void;
  /** Releases timers and connections; forwards stay in force. */
  close(): Promise<void>;
}

export interface GatewayReport {
  ok: boolean;
  /** One line for people: what was found, or why it does not work. */
  summary: string;
}

export interface GatewayCapabilities {
  /**
   * The place where forwards are made: this node, other nodes of the service, or no gateway at all, in which case the
   * engine has to make them if it can.
   */
  forwards: 'here' | 'elsewhere' | 'nowhere';
  /** Ports that this gateway may forward; it refuses others. */
  publicPorts: readonly PublicPorts[];
  /** Networks that this gateway may forward to; it refuses others. */
  guestPrefixes: readonly string[];
}

/** The gateway cannot be reached or the operation failed; a retry may succeed. */
export class GatewayUnavailableError extends Error {
  override name = 'GatewayUnavailableError';
}
