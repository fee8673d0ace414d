import { join } from 'node:path';
import { freshKeyPair } from '../../server/platform/ssh-key-pair.ts';
import { newCustomer } from '../../test/chaos/support/customer.ts';
import { makeOffer, type PlanChange, type Variants } from '../../test/qemu/support/offer.ts';
import { defer, type Lifetime } from '../../test/support/cleanup.ts';
import type { SiteOrder } from '../host-env.ts';
import { startService } from '../process.ts';
import { makePlaceInside } from './inside.ts';

/** Limits that no measurement reaches. */
const LIMITS = { vms: 1e4, vcpu: 1e5, ram_mb: 1e8, disk_gb: 1e6 };

export interface Bought {
  id: string;
  address: string;
}

/** Templates sold in addition to `tiny`, and values that override those of all plans. */
interface Goods {
  templates?: Variants;
  plan?: PlanChange;
}

/** Starts the service in production mode with real, routed guests, and a customer with money and a key. */
export async function startRealService(
  life: Lifetime,
  order: SiteOrder,
  settings: Record<string, string> = {},
  { templates, plan }: Goods = {},
) {
  const place = await makePlaceInside(life, order);
  const environment = {
    ...(await makeOffer(place.VAUBAN_DATA_DIR, templates, plan)),
    VAUBAN_QEMU_NETWORK: 'routed',
    // High, because the number of guests is measured, not the capacity that could be sold.
    VAUBAN_QEMU_CPU_OVERCOMMIT: '128',
    VAUBAN_QEMU_MEMORY_MB: '1000000',
    VAUBAN_QEMU_DISK_GB: '100000',
    VAUBAN_EDGE: 'simulator',
    ...settings,
  };
  let server = await startService(place, environment);
  defer(life, () => server[Symbol.asyncDispose]());
  const operatorSocket = join(place.VAUBAN_DATA_DIR, 'vauban.sock');
  const target = () => ({ baseUrl: `http://127.0.0.1:${server.port}`, operatorSocket });
  const customer = await newCustomer(target(), { credit: '100000', limits: LIMITS });
  const { public: public_key, private: privateKey } = freshKeyPair();
  const key = await customer.ask('POST', '/v1/vm/sshkeys', { name: 'bench', public_key });
  return {
    privateKey,
    customer,
    pid: () => server.child.pid!,
    dataDir: place.VAUBAN_DATA_DIR,
    /** Stops the service, runs `meanwhile`, and resolves once the service is ready again. */
    async restart(meanwhile = async () => {}): Promise<void> {
      await server[Symbol.asyncDispose]();
      await meanwhile();
      server = await startService(place, environment);
      customer.target = target();
    },
    async buy(hostname: string, template = 'tiny'): Promise<Bought> {
      const order = { plan: 'small', template, hostname, ssh_key_ids: [key.id] };
      const { vm } = await customer.ask('POST', '/v1/vm', order);
      return { id: vm.id, address: vm.ipv4 };
    },
    async running({ id }: Bought): Promise<void> {
      const { status, last_job } = await customer.settled(id);
      if (status !== 'running') throw new Error(`${id} is ${status}: ${JSON.stringify(last_job)}`);
    },
    /** Resolves once nothing is left of the VM. */
    async remove({ id }: Bought): Promise<void> {
      await customer.ask('DELETE', `/v1/vm/${id}`);
      await customer.settled(id);
    },
  };
}
