import { join } from 'node:path';
import { createImageStore, type ImageStore } from '../../../compute/qemu/images/image-store.ts';
import type { OperatorServices } from '../../../http/services.ts';

/** The images on this host, as seen by the service's own user. */
export function imagesOf({ config }: Pick<OperatorServices, 'config'>, reservedBytes = 0): ImageStore {
  return createImageStore(join(config.dataDir, 'images'), reservedBytes);
}
