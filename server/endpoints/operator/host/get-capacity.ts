import { readSupply } from '../../../cluster/read-supply.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Nullable, Shape } from '../../../http/schemas.ts';
import { type Amount, amountsOf } from '../../../jobs/timers/watch-capacity.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

const AmountShape = Shape({
  resource: Enum(['vcpu', 'dedicated_cores', 'ram_mb', 'disk_gb']),
  total: Nullable(Type.Number({ description: 'Null if there is no limit' })),
  reserved: Type.Number(),
  free: Nullable(Type.Number({ description: 'Null if there is no limit' })),
});

export const getCapacity = endpoint({
  audience: 'operator',
  operation: 'getCapacity',
  method: 'GET',
  path: '/host/capacity',
  tag: 'host',
  summary: 'Get the total and reserved capacity for VMs',
  data: Shape(
    {
      zones: Nullable(
        Type.Array(Type.String(), {
          description: 'Zones of the catalog in which VMs are created; null for all',
        }),
      ),
      resources: Type.Array(AmountShape),
    },
    { $id: 'Capacity', description: 'What VMs share' },
  ),
  errors: ['compute_unavailable', 'capacity_unavailable'],
  async handle({ services }) {
    const supply = await readSupply(services);
    if (supply instanceof ApiError) throw supply;
    return { data: { zones: supply.zones, resources: amountsOf(supply).map(presentAmount) } };
  },
});

/** Without a limit there is neither a total nor a free amount. */
function presentAmount({ resource, total, reserved }: Amount) {
  if (total === Infinity) return { resource, total: null, reserved, free: null };
  return { resource, total, reserved, free: total - reserved };
}
