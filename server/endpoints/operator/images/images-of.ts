import { join } from 'node:path';
import { createImageStore, type ImageStore } from '../../../compute/qemu/image-store.ts';
import type { OperatorServices } from '../../../operator/endpoint.ts';

/** The images of this host, as the service's own user sees them. */
export function imagesOf({ config }: Pick<OperatorServices, 'config'>, reservedBytes = 0): ImageStore {
  return createImageStore(join(config.dataDir, 'images'), reservedBytes);
}
