import type { JobKind } from '../../domain/vms/states.ts';
import type { JobDefinition } from '../job.ts';
import { attachSshKey, resetPassword } from './access.ts';
import { create } from './create.ts';
import { deletion } from './delete.ts';
import { move } from './move.ts';
import { forceStop, reboot, start, stop } from './power.ts';
import { rebuild } from './rebuild.ts';
import { resize } from './resize.ts';
import { snapshotRestore } from './restore.ts';
import { snapshotCreate, snapshotDelete } from './snapshots.ts';

export const JOBS: Record<JobKind, JobDefinition> = {
  create,
  start,
  stop,
  force_stop: forceStop,
  reboot,
  reset_password: resetPassword,
  attach_ssh_key: attachSshKey,
  change_plan: resize,
  change_custom: resize,
  snapshot_create: snapshotCreate,
  snapshot_delete: snapshotDelete,
  snapshot_restore: snapshotRestore,
  rebuild,
  move,
  delete: deletion,
};
