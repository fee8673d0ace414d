import { mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defer } from '../../test/support/cleanup.ts';
import { IncusCluster } from '../../test/support/incus/cluster.ts';
import { whyNoCluster } from '../../test/support/incus/in-cluster.ts';
import type { Section } from '../bench.ts';
import { measureIn } from '../host-env.ts';
import { during } from '../lifetime.ts';
import { leftOut } from '../report.ts';

/** File in the workspace in which the program in the cluster's network finds it. */
export const CLUSTER_FILE = 'cluster.json';

export const cluster: Section = {
  name: 'cluster',
  about: 'guests of a real Incus cluster by the API, against its own client',
  async run(bench) {
    const why = whyNoCluster();
    if (why) return [leftOut('the API ÷ Incus', why)];
    return during(async (life) => {
      const raised = await IncusCluster.raise();
      defer(life, () => raised.down());
      const workspace = mkdtempSync(join(bench.workspace, 's'));
      await writeFile(join(workspace, CLUSTER_FILE), JSON.stringify(raised.info));
      return measureIn(life, raised.info.hub, 'cluster.ts', { workspace, engine: bench.engines[0]! });
    });
  },
};
