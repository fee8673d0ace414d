import { idOf } from '../../names.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

/** The number of latest values to list individually. */
const LATEST = 12;

export const vmMetrics: Tool = {
  name: 'vm_metrics',
  title: 'Load of a VM',
  description:
    'Processor, memory, disk and network of a VM: minimum, mean and maximum over a time range, and the latest values.',
  scopes: ['vm:read'],
  power: 'read',
  input: inputOf(VM, 'getVmMetrics', ['from', 'to', 'metrics']),
  async call({ client, signal }, { vm, ...query }) {
    const id = await idOf(client, 'vm', vm as string, []);
    const { start_at, end_at, step_seconds, series } = await client.vms.metrics(id, query, { signal });
    const summed = Object.entries(series).map(([name, { unit, points }]) => {
      const values = points.map(([, value]) => value).filter((value) => typeof value === 'number');
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
      const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
      const known = values.length === 0 ? {} : { least, mean, most };
      return [name, { unit, ...known, latest: points.slice(-LATEST) }];
    });
    return { data: { start_at, end_at, step_seconds, series: Object.fromEntries(summed) } };
  },
};
