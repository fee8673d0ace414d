import type { CreditedOutage, OutageRow } from '../../../db/queries/hosts/outages.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import type { Catalog } from '../../../domain/catalog/catalog-schema.ts';
import { Count, Currency, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

const outageFields = {
  id: Id('out'),
  region: Nullable(Type.String()),
  vm_id: Nullable(Id('vm')),
  from_at: Timestamp(),
  to_at: Timestamp(),
  reason: Type.String(),
  actor: Type.String({ description: 'Operator who reported it, such as "anna as root"' }),
  status: Enum(['open', 'crediting', 'credited']),
  created_at: Timestamp(),
};

export const OutageShape = Shape(outageFields, {
  $id: 'Outage',
  description: 'A period in which a region or a VM was unavailable',
});
export const CreditedOutageShape = Shape(
  {
    ...outageFields,
    credited: Count('Number of VMs credited for it'),
    credited_minor: Minor('Total credited to them'),
    currency: Currency,
  },
  { $id: 'CreditedOutage', description: 'An outage and its credits' },
);

export function presentOutage({ credited_up_to: _, ...outage }: OutageRow) {
  return outage;
}

/** One installation sells in one currency. */
export function presentCreditedOutage(
  { credited, credited_minor, ...outage }: CreditedOutage,
  { currency }: Catalog,
) {
  return {
    ...presentOutage(outage),
    credited: Number(credited),
    credited_minor: toJsonInteger(credited_minor),
    currency,
  };
}
