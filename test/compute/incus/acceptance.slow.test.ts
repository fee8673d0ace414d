// Needs: root, Incus.
import { OF_THREE } from '../../support/incus/cluster.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';

/** Room for all disks that the stories buy, of which containers fill next to nothing. */
const POOL_MB = 1_000_000;

const cluster = await inCluster(import.meta.filename, OF_THREE, { poolMb: POOL_MB });

// The acceptance suite, on containers of a real cluster.
if (cluster) {
  process.env.VAUBAN_TEST_COMPUTE = 'incus';
  for (const suite of ['boundary', 'conformity']) await import(`../../acceptance/${suite}.test.ts`);
}
