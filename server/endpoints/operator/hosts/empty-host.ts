import { drainHost } from '../../../db/queries/hosts/hosts.ts';
import type { MoveWindow } from '../../../db/queries/hosts/move-windows.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Timestamp } from '../../../http/schemas.ts';
import { emptyHosts } from '../../../jobs/reconcilers/empty-hosts.ts';
import { invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { HostMachineShape, HostParams, requireHost, requireMoves, showHost } from './host-shape.ts';

export const emptyHost = endpoint({
  audience: 'operator',
  operation: 'emptyHost',
  method: 'POST',
  path: '/hosts/{host}/drain',
  tag: 'host',
  summary: 'Move all VMs away from a host and place no new ones there',
  description:
    'Each VM is moved by a job, a few at a time, to a host of its zone with free capacity; VMs stay while there is none. ' +
    '`evacuated` means that the host is empty. VMs that must be switched off are moved between `from` and `to`, if these ' +
    'are given, and their owners are notified at once; VMs that are off or can move while running are moved at once. After `to`, everything that ' +
    'is left stays until another drain is requested, which replaces the window.',
  params: HostParams,
  body: Input({
    from: Type.Optional(
      Timestamp(
        'Start of the window in which VMs are switched off and moved; requires `to`. If absent, VMs are moved at once',
      ),
    ),
    to: Type.Optional(Timestamp('Until when')),
  }),
  data: HostMachineShape,
  errors: ['invalid_state'],
  async handle({ params, body, services }) {
    requireMoves(services);
    const window = windowIn(body, services.clock.now());
    const { id } = await requireHost(services, params.host);
    await services.db.transaction((tx) => drainHost(tx, id, window));
    await emptyHosts(services);
    return { data: await showHost(services, id) };
  },
});

function windowIn({ from, to }: { from?: string; to?: string }, now: Date): MoveWindow | null {
  if (from === undefined && to === undefined) return null;
  if (from === undefined) throw invalidField('from', 'required', 'is required with `to`');
  if (to === undefined) throw invalidField('to', 'required', 'is required with `from`');
  const window = { from: new Date(from), to: new Date(to) };
  if (window.to <= window.from) throw invalidField('to', 'conflict', 'must be later than `from`');
  if (window.to <= now) throw invalidField('to', 'in_the_past', 'must not be in the past');
  return window;
}
