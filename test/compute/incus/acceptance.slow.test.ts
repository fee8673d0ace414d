// Needs: root, Incus.
import { OF_THREE } from '../../support/incus/cluster.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';

/** Enough for all disks that the stories buy; containers use almost nothing of it. */
const POOL_MB = 1_000_000;

const cluster = await inCluster(import.meta.filename, OF_THREE, { poolMb: POOL_MB });

if (cluster) {
  process.env.VAUBAN_TEST_COMPUTE = 'incus';
  for (const suite of ['boundary', 'conformity']) await import(`../../acceptance/${suite}.test.ts`);
}
