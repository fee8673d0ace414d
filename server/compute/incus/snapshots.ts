import type { Clock } from '../../platform/clock.ts';
import { parseJson } from '../../platform/peer/json.ts';
import type { SnapshotInfo } from '../driver.ts';
import type { Acls } from './acls.ts';
import { converge } from './converge.ts';
import { GIGABYTE, type Instance, sizeOf } from './instance.ts';
import type { Instances } from './instances.ts';
import { requireOff } from './power.ts';

export interface SnapshotParts {
  clock: Clock;
  instances: Instances;
  acls: Acls;
  need(id: string): Promise<Instance>;
}

/** Stored with the guest's ACL, because a restore replaces everything stored in the instance. */
const RESTORING = 'user.vauban.restoring';

const snapshotOf = ({ snapshots }: Instance, name: string) => snapshots?.find((each) => each.name === name);

/** Takes a snapshot. Succeeds if it already exists. */
export async function takeSnapshot(parts: SnapshotParts, id: string, name: string): Promise<SnapshotInfo> {
  const { clock, instances, need } = parts;
  const instance = await converge(clock, {
    look: () => need(id),
    isDone: (now) => snapshotOf(now, name) !== undefined,
    step: (now) => instances.work(now, 'POST', { below: '/snapshots', body: { name, stateful: false } }),
  });
  // If the storage does not report a size, the whole disk is counted.
  const { size } = snapshotOf(instance, name)!;
  return { sizeBytes: size >= 0 ? size : sizeOf(instance).diskGb * GIGABYTE, includesMemory: false };
}

export async function dropSnapshot(
  { clock, instances }: Pick<SnapshotParts, 'clock' | 'instances'>,
  find: () => Promise<Instance | undefined>,
  name: string,
): Promise<void> {
  await converge(clock, {
    look: find,
    isDone: (now) => now === undefined || snapshotOf(now, name) === undefined,
    step: (now) => instances.work(now!, 'DELETE', { below: `/snapshots/${name}` }),
  });
}

/** Restores the disk of a guest that is off; everything else about the guest stays the same. */
export async function restoreSnapshot(parts: SnapshotParts, id: string, name: string): Promise<void> {
  const { instances, acls, need } = parts;
  await mendRestore(parts, id);
  const instance = await need(id);
  requireOff(instance, 'restored');
  if (!snapshotOf(instance, name)) throw new Error(`${id} has no snapshot ${name}`);
  const { config, devices } = instance;
  await acls.setNote(instance.name, RESTORING, JSON.stringify({ config: lasting(config), devices }));
  await instances.work(instance, 'PUT', { body: { restore: name } });
  await mendRestore(parts, id);
}

/**
 * Gives a guest back the configuration that it had before its disk was restored. Call it before using the guest,
 * because a restore may have been interrupted.
 */
export async function mendRestore(
  { clock, instances, acls, need }: SnapshotParts,
  id: string,
): Promise<void> {
  const instance = await need(id);
  const note = await acls.note(instance.name, RESTORING);
  if (note === undefined) return;
  const wanted = parseJson(note, 'the cluster') as Parameters<Instances['change']>[1];
  let done = false;
  await converge(clock, {
    look: async () => done,
    isDone: Boolean,
    step: async () => {
      await instances.change(instance, wanted);
      done = true;
    },
  });
  await acls.setNote(instance.name, RESTORING, undefined);
}

/** Returns the configuration without Incus's own keys. */
function lasting(config: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !key.startsWith('volatile.')));
}
