import { findActiveShare, revokeShare } from '../../../db/queries/vms/console-shares.ts';
import { recordCallerEvent } from '../../../domain/vms/events.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Deleted, PathId } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVmForChange } from '../vms/load-vm.ts';
import { exampleShare } from './share-shape.ts';

export const deleteConsoleShare = endpoint({
  audience: 'customer',
  operation: 'deleteConsoleShare',
  method: 'DELETE',
  path: '/v1/vm/{id}/console-shares/{sid}',
  scope: 'vm:console',
  tag: 'vm',
  summary: 'Revoke a share link',
  description: 'Allowed in every state of the VM. Its viewers are disconnected at once.',
  params: Type.Object({
    id: PathId('vm', 'VM identifier'),
    sid: PathId('shr', 'Share link identifier'),
  }),
  data: Deleted,
  errors: [],
  example: { id: exampleShare.id, deleted: true },
  async load(request) {
    const vm = await loadVmForChange(request);
    const { db, params, services } = request;
    const share = await findActiveShare(db, vm.id, params.sid, services.clock.now());
    if (!share) throw notFound();
    return { vm, share };
  },
  async handle({ resource: { vm, share }, db, services, caller, now }) {
    await revokeShare(db, share.id, now);
    await services.signals.accessEnded(db, share.id);
    await recordCallerEvent(db, services.clock, caller, vm.id, {
      type: 'console_share.revoked',
      message: 'A share link was revoked.',
      metadata: { share_id: share.id },
    });
    return { data: { id: share.id, deleted: true } };
  },
});
