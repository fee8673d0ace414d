import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createImageStore } from '../../server/compute/qemu/images/image-store.ts';

/** Imports an image to sell as `name` into a data directory. Nothing on it boots: it is for guests that stay off. */
export async function importBlank(dataDir: string, name: string): Promise<void> {
  const disk = join(dataDir, 'blank.qcow2');
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', disk, '1M']);
  await createImageStore(join(dataDir, 'images')).import({ name, disk, user: 'root' });
  rmSync(disk);
}
