import type { Cluster } from './operator-api.ts';
import { printTable } from './output.ts';

/** One line a cluster. */
export function printClusters(clusters: Cluster[]): void {
  printTable(
    ['REGIONS', 'STATE', 'MEMBERS UP>', 'GUESTS>', 'ENDPOINTS'],
    clusters.map(({ regions, reachable, members_up, members_total, guests, endpoints }) => [
      regions.join(', '),
      reachable ? 'reachable' : 'unreachable',
      `${members_up}/${members_total}`,
      `${guests}`,
      endpoints.join(', '),
    ]),
  );
}
