import { DEFAULT_READINESS } from '../../../compute/qemu/guest/readiness.ts';
import type { Image } from '../../../compute/qemu/images/image.ts';
import { Nullable, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const ImageShape = Shape(
  {
    name: Type.String(),
    sha256: Type.String(),
    virtual_bytes: Type.Integer({ description: 'Size of the disk as seen by guests' }),
    user: Type.String({ description: 'Default user' }),
    direct_boot: Type.Boolean({ description: 'True if guests boot from a separate kernel file' }),
    ready: Type.String({ description: 'Condition for a guest to be ready, such as "port:22"' }),
    ready_within_seconds: Nullable(Type.Integer({ description: 'Time to wait for it' })),
  },
  { $id: 'Image', description: 'A disk image for guests' },
);

export function presentImage({ name, sha256, virtualBytes, user, directBoot, ...image }: Image) {
  const { readiness: ready = DEFAULT_READINESS, readyWithinSeconds = null } = image;
  return {
    ...{ name, sha256, virtual_bytes: virtualBytes, user, direct_boot: directBoot !== undefined },
    ...{ ready, ready_within_seconds: readyWithinSeconds },
  };
}
