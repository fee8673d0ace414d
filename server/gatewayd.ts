// The privileged side of a region's gateway: manages the nftables rules that forward public ports to guests, so that
// the process that serves HTTP needs no privileges. It needs CAP_NET_ADMIN and nothing else. See docs/gateway.md and
// deploy/systemd.
//   node server/gatewayd.ts --config FILE --socket PATH
import { parseArgs } from 'node:util';
import { loadGatewayAllowance } from './gateway/nftables/helper/allowance.ts';
import { FREQUENT, perform } from './gateway/nftables/helper/operations.ts';
import { NftablesGateway } from './gateway/nftables/nftables.ts';
import { systemClock as clock } from './platform/clock.ts';
import { Alterations } from './platform/helper/alterations.ts';
import { allowanceOf, endOnSignal, exitUsage } from './platform/helper/process.ts';
import { serveHelper } from './platform/helper/serve.ts';
import { logLastWords } from './platform/last-words.ts';
import { createLogger } from './platform/logging.ts';

const text = { type: 'string' } as const;
const { config, socket } = parseArgs({ options: { config: text, socket: text } }).values;
if (!config || !socket) exitUsage('gatewayd.ts --config FILE --socket PATH');

logLastWords();
const logger = createLogger({ logLevel: 'info' });
const allowance = allowanceOf(loadGatewayAllowance, config, 'deploy/systemd/vauban-gateway.yaml');
const { forwards: publicPorts, guest_prefixes: guestPrefixes } = allowance;
const gateway = new NftablesGateway({ publicPorts, guestPrefixes, clock });
const alterations = new Alterations(clock);
gateway.onAltered(() => {
  logger.warn('the table of the gateway was altered, or cannot be watched');
  alterations.note();
});
logger.info(await gateway.probe(), 'gateway');
const parts = { gateway, altered: () => alterations.altered() };
const server = await serveHelper((operation, given) => perform(parts, operation, given), {
  path: socket,
  clock,
  logger,
  silent: FREQUENT,
});
logger.info({ socket }, 'listening');
// The forwards stay in force.
endOnSignal(server, () => gateway.close());
