import type { Cluster } from './operator-api.ts';
import { printTable } from './output.ts';

export function printClusters(clusters: Cluster[]): void {
  printTable(
    ['REGIONS', 'STATE', 'MEMBERS UP>', 'GUESTS>', 'ENDPOINTS', 'SAYS'],
    clusters.map(({ regions, members_up, members_total, guests, endpoints, summary, ...cluster }) => [
      regions.join(', '),
      stateOf(cluster),
      `${members_up}/${members_total}`,
      `${guests}`,
      endpoints.join(', '),
      summary,
    ]),
  );
}

/** Restricted: existing VMs keep running but no new ones can be created. */
function stateOf({ reachable, ok }: Pick<Cluster, 'reachable' | 'ok'>): string {
  if (!reachable) return 'unreachable';
  return ok ? 'ok' : 'limited';
}
