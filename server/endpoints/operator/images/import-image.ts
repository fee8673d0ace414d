import { ImageError } from '../../../compute/qemu/images/image-source.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { Line } from '../shared/input.ts';
import { ImageShape, presentImage } from './image-shape.ts';
import { imagesOf } from './images-of.ts';

const MEGABYTE = 1_048_576;
/** Maximum length of a path on Linux. */
const MAX_PATH = 4_096;
/** Maximum length of the command line that a kernel reads. */
const MAX_APPEND = 1_024;
/**
 * A relative path would be resolved from the service's working directory, so it could name a file other than the
 * operator means.
 */
const AbsolutePath = Type.String({
  pattern: '^/',
  'x-expected': 'an absolute path',
  maxLength: MAX_PATH,
  examples: ['/srv/images/debian-12.qcow2'],
});

export const importImage = endpoint({
  audience: 'operator',
  operation: 'importImage',
  method: 'POST',
  path: '/images',
  tag: 'host',
  summary: 'Import a disk image for guests',
  body: Input({
    name: Line('debian-12', 'Its code in the catalog'),
    disk: AbsolutePath,
    user: Line('root', 'Default user'),
    sha256: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{64}$', 'x-expected': '64 hexadecimal digits in lower case' }),
    ),
    ready: Type.Optional(Line('port:22', 'Condition for a guest to be ready')),
    ready_within_seconds: Type.Optional(Type.Integer({ description: 'Time to wait for it' })),
    direct_boot: Type.Optional(
      Input(
        { kernel: AbsolutePath, initrd: AbsolutePath, append: Type.String({ maxLength: MAX_APPEND }) },
        { description: 'A separate kernel file from which guests boot' },
      ),
    ),
  }),
  data: ImageShape,
  errors: [],
  async handle({ body: { direct_boot, ready, ready_within_seconds, ...source }, services }) {
    const readiness = { readiness: ready, readyWithinSeconds: ready_within_seconds };
    const given = { ...source, ...readiness, ...(direct_boot && { directBoot: direct_boot }) };
    const image = await imagesOf(services, services.config.poolReserveMb * MEGABYTE)
      .import(given)
      .catch((error: unknown) => {
        if (!(error instanceof ImageError)) throw error;
        throw invalidField(error.field, 'not_allowed', error.message);
      });
    services.logger.info({ image: image.name, sha256: image.sha256 }, 'image imported');
    return { data: presentImage(image) };
  },
});
