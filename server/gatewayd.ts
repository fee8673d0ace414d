// The privileged side of a region's gateway: manages the nftables rules that forward public ports to guests, so that
// the process that serves HTTP needs no privileges. It needs CAP_NET_ADMIN and nothing else. See docs/gateway.md and
// deploy/systemd.
//   node server/gatewayd.ts --config FILE --socket PATH
import { NftablesGateway } from './gateway/nftables/nftables.ts';
import { loadGatewayAllowance } from './helpers/gateway/allowance.ts';
import { FREQUENT, perform } from './helpers/gateway/operations.ts';
import { runHelper } from './helpers/run.ts';

await runHelper({
  program: 'gatewayd.ts',
  example: 'deploy/systemd/vauban-gateway.yaml',
  load: loadGatewayAllowance,
  async open({ allowance, clock, logger, alterations }) {
    const { forwards: publicPorts, guest_prefixes: guestPrefixes } = allowance;
    const gateway = new NftablesGateway({ publicPorts, guestPrefixes, clock, logger });
    gateway.onAltered(() => {
      logger.warn('the table of the gateway was altered, or cannot be watched');
      alterations.note();
    });
    const parts = { gateway, altered: () => alterations.altered() };
    return {
      what: 'gateway',
      report: await gateway.probe(),
      perform: (operation, given) => perform(parts, operation, given),
      silent: FREQUENT,
      // The forwards stay in force.
      close: () => gateway.close(),
    };
  },
});
