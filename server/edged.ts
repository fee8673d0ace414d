// The privileged side of the DDoS edge: manages the nftables rules that drop and count packets, so that the process
// that serves HTTP needs no privileges. It needs CAP_NET_ADMIN and nothing else. See docs/operating-the-edge.md and
// deploy/systemd.
//   node server/edged.ts --config FILE --socket PATH
import { NftablesEdge } from './edge/nftables/nftables.ts';
import { loadEdgeAllowance } from './helpers/edge/allowance.ts';
import { aboutTarget, FREQUENT, perform } from './helpers/edge/operations.ts';
import { runHelper } from './helpers/run.ts';

await runHelper({
  program: 'edged.ts',
  example: 'deploy/systemd/vauban-edge.yaml',
  load: loadEdgeAllowance,
  async open({ allowance, clock, logger, alterations }) {
    const { devices, protected_prefixes: prefixes, syn_proxy: synProxy } = allowance;
    const edge = new NftablesEdge({ devices, prefixes, synProxy, clock, logger });
    edge.onAltered(() => {
      logger.warn('the tables of the edge were altered, or cannot be read');
      alterations.note();
    });
    const parts = { edge, altered: () => alterations.altered() };
    return {
      what: 'edge',
      report: await edge.probe(),
      perform: (operation, given) => perform(parts, operation, given),
      about: aboutTarget,
      silent: FREQUENT,
      // The rules stay in force.
      close: () => edge.close(),
    };
  },
});
