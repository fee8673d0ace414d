import type { TestContext } from 'node:test';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import type { Catalog } from '../../server/domain/catalog/catalog-schema.ts';
import { throttleTraffic } from '../../server/jobs/timers/throttle-traffic.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Customer } from '../jobs/support/customer.ts';
import type { Fixture } from '../jobs/support/fixture.ts';
import { open } from './usage-support.ts';

/**
 * Opens the plans of {@link open}, s2 with 1000 GB and s4 with 3000, throttled to 10 Mbit/s unless `usage` says
 * otherwise.
 */
export const throttling = (t: TestContext, usage: object = {}) =>
  open(t, 500_00n, { at_included: 'throttle', throttle_mbps: 10, ...usage });

export const planOf = ({ installation }: Fixture, code: string): Catalog['plans'][number] =>
  installation.services.catalog.plans.find((plan) => plan.code === code)!;

/** Runs one round of the service. */
export async function look(fixture: Fixture): Promise<void> {
  const { services } = fixture.installation;
  await throttleTraffic(services, new Failures(services));
  await services.network.idle();
}

/** The speed that the engine enforces, in Mbit/s, and the traffic that it lets out when no rule says otherwise. */
export async function held(fixture: Fixture, id: string) {
  const network = (await new SimulatorGuests(fixture.db).readGuest(id))?.network;
  return [network?.bandwidthBps === undefined ? null : network.bandwidthBps / 1e6, network?.defaultOut];
}

/** Changes the plan or size of a VM, keeping its disk. */
export async function change(fixture: Fixture, customer: Customer, id: string, to: string | object) {
  const [kind, body] = typeof to === 'string' ? ['plan', { plan: to, resize_disk: false }] : ['custom', to];
  const { order } = await customer.must({
    method: 'POST',
    path: `/v1/vm/${id}/change-${kind}`,
    body: { ...body, allow_reboot: true },
  });
  await fixture.finish();
  return order;
}

/** Deletes a VM and returns the refund, which must match the preview. */
export async function give(fixture: Fixture, customer: Customer, id: string): Promise<number> {
  const preview = await customer.must({ method: 'GET', path: `/v1/vm/${id}/delete-preview` });
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  if (preview.refund_minor !== refund.amount_minor)
    throw new Error(`the preview says ${preview.refund_minor}, the refund is ${refund.amount_minor}`);
  return refund.amount_minor;
}
