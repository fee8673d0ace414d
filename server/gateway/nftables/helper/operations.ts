import type { PortForwardEntry } from '../../../compute/network-policy.ts';
import { closedList, type Handler } from '../../../platform/helper/closed-list.ts';
import { ForwardShape } from '../../../platform/helper/forwards.ts';
import { Type } from '../../../platform/schema.ts';
import type { GatewayDriver } from '../../driver.ts';

const closed = { additionalProperties: false };
/** As many as all ports of an address, so that one message cannot exhaust the process. */
const MAX_FORWARDS = 65_536;
const Nothing = Type.Object({}, closed);

/** Everything that the helper does, with the shapes of its arguments. There is nothing else. */
export const OPERATIONS = {
  probe: Nothing,
  apply: Type.Object({ forwards: Type.Array(ForwardShape, { maxItems: MAX_FORWARDS }) }, closed),
  altered: Nothing,
};
export type Operation = keyof typeof OPERATIONS;

/** Asked for all the time: no line of log for each. */
export const FREQUENT: readonly Operation[] = ['altered'];

export interface GatewayHelperParts {
  gateway: GatewayDriver;
  /** Resolves when another process has altered what the gateway made: true, or false after a while. */
  altered(): Promise<boolean>;
}

const HANDLERS: Record<Operation, Handler<GatewayHelperParts>> = {
  async probe({ gateway }) {
    const { publicPorts, guestPrefixes } = gateway.capabilities();
    return { ...(await gateway.probe()), publicPorts, guestPrefixes };
  },
  apply: ({ gateway }, { forwards }: { forwards: PortForwardEntry[] }) => gateway.applyForwards(forwards),
  altered: ({ altered }) => altered(),
};

/** Does one operation; a forward that is not this host's to make is refused as a wrong argument is. */
export const perform = closedList(OPERATIONS, HANDLERS);
