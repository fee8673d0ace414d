import { findVm, updateVm as writeVm } from '../../../db/queries/vms/vms.ts';
import { catalogOf } from '../../../domain/billing/buyers.ts';
import { graceGivenUp, graceTakenUp } from '../../../domain/billing/grace.ts';
import { BILLING_MODES } from '../../../domain/billing/metering.ts';
import { RENEWAL_PRIORITY } from '../../../domain/billing/ranking.ts';
import { renewalConfiguration } from '../../../domain/billing/renewal-price.ts';
import { requireHourly } from '../../../domain/vms/configuration.ts';
import { type EventText, recordCallerEvent } from '../../../domain/vms/events.ts';
import { HOSTNAME_PATTERN, requireHostname } from '../../../domain/vms/hostname.ts';
import { requireAllowed, requireRenewable } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, Nullable, VmParams } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVmForChange } from './load-vm.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';

export const NOTES = Type.String({ maxLength: 2000, description: 'Notes of your own' });
export const HOSTNAME = Type.String({
  pattern: HOSTNAME_PATTERN,
  'x-expected': 'labels of 1 to 63 letters, digits and hyphens, separated by dots',
  minLength: 1,
  maxLength: 253,
  description: 'RFC 1123 host name, not an address. A new guest gets its first label as its own host name',
  examples: ['web-1'],
});

export const RENEWAL_PRIORITY_INPUT = Type.Integer({
  minimum: RENEWAL_PRIORITY.minimum,
  maximum: RENEWAL_PRIORITY.maximum,
  description: 'If the wallet does not cover all renewals, lower numbers are renewed first',
});

export const updateVm = endpoint({
  audience: 'customer',
  operation: 'updateVm',
  method: 'PATCH',
  path: '/v1/vm/{id}',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Change the name, notes or renewal of a VM',
  description:
    'Absent fields stay as they are, and `null` clears a field. The hostname inside the guest does not change. An unpaid or suspended VM whose `auto_renew` is turned on is renewed within a minute if the wallet covers it. Only the renewal and billing fields of a suspended VM can be changed.',
  params: VmParams,
  body: Input(
    {
      hostname: Type.Optional(HOSTNAME),
      notes: Type.Optional(Nullable(NOTES)),
      auto_renew: Type.Optional(Type.Boolean({ description: 'Renew at the end of each period' })),
      renewal_priority: Type.Optional(RENEWAL_PRIORITY_INPUT),
      billing: Type.Optional(
        Enum(BILLING_MODES, { $id: 'BillingMode', description: 'Billing mode from the next period on' }),
      ),
    },
    { minProperties: 1 },
  ),
  data: VmShape,
  errors: ['invalid_state', 'vm_suspended'],
  example: { ...exampleVm, notes: 'Front of the shop' },
  load: loadVmForChange,
  async handle({ resource, body, db, services, caller, now }) {
    const { hostname, notes, auto_renew, renewal_priority, billing } = body;
    if (hostname !== undefined) requireHostname(hostname);
    requireAllowed(resource, hostname === undefined && notes === undefined ? 'set_renewal' : 'configure');
    if (auto_renew) requireRenewable(resource);
    const { catalog } = services;
    if (billing === 'hourly') {
      const sold = await catalogOf(db, catalog, resource.account_id);
      requireHourly(renewalConfiguration(resource, sold, now), 'billing');
    }
    const ended = auto_renew === false ? graceGivenUp(resource, catalog.grace, now) : {};
    const again = auto_renew ? graceTakenUp(resource, catalog) : {};
    // Prices that changed while no notice was due are checked in the next round.
    const seen = auto_renew && !resource.auto_renew ? { prices_seen_until: null } : {};
    const next = { auto_renew, renewal_priority, next_billing_mode: billing, ...ended, ...again, ...seen };
    await writeVm(db, resource.id, { hostname, notes, ...next }, now);
    const changed = Object.keys(body).sort();
    const event: EventText = {
      type: 'vm.updated',
      message: `Changed ${changed.join(' and ')}.`,
      metadata: { changed },
    };
    await recordCallerEvent(db, services.clock, caller, resource.id, event);
    const vm = await findVm(db, caller.accountId, resource.id);
    if (!vm) throw notFound();
    return { data: presentVm(vm) };
  },
});
