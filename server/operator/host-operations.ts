import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { inspectHost } from '../compute/qemu/host.ts';
import type { Image } from '../compute/qemu/image.ts';
import { createImageStore, ImageError, type ImageStore } from '../compute/qemu/image-store.ts';
import { Input } from '../endpoints/schemas.ts';
import { invalidField } from '../platform/errors.ts';
import { Type } from '../platform/schema.ts';
import { Line } from './input.ts';
import { type OperatorServices, register } from './operation.ts';

/** What Linux takes as a path. */
const MAX_PATH = 4_096;
/** What a kernel reads of its command line. */
const MAX_APPEND = 1_024;
/** Seen from the directory that the service runs in a relative path would be another file than the operator means. */
const AbsolutePath = Type.String({ pattern: '^/', maxLength: MAX_PATH });

const NewImage = Input({
  name: Line,
  disk: AbsolutePath,
  user: Line,
  sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  direct_boot: Type.Optional(
    Input({
      kernel: AbsolutePath,
      initrd: AbsolutePath,
      append: Type.String({ maxLength: MAX_APPEND }),
    }),
  ),
});

function presentImage({ name, sha256, virtualBytes, user, directBoot }: Image) {
  return { name, sha256, virtual_bytes: virtualBytes, user, direct_boot: directBoot !== undefined };
}

function imagesOf({ config }: OperatorServices): ImageStore {
  return createImageStore(join(config.dataDir, 'images'));
}

/** The images of guests, and whether this machine can run any: both as the service's own user sees them. */
export function registerHostOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/images',
    body: NewImage,
    async handle({ body: { direct_boot, ...source }, services }) {
      const given = { ...source, ...(direct_boot && { directBoot: direct_boot }) };
      const image = await imagesOf(services)
        .import(given)
        .catch((error: unknown) => {
          if (!(error instanceof ImageError)) throw error;
          throw invalidField(error.field, 'not_usable', error.message);
        });
      services.logger.info({ image: image.name, sha256: image.sha256 }, 'image imported');
      return { data: presentImage(image) };
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/images',
    handle: async ({ services }) => ({ data: (await imagesOf(services).list()).map(presentImage) }),
  });

  register(app, services, {
    method: 'GET',
    path: '/host',
    async handle({ services }) {
      const { config, compute } = services;
      const { dataDir, qemuAccel: accelerator } = config;
      const findings = await inspectHost({ dataDir, images: imagesOf(services), accelerator });
      return { data: { compute: compute.name, findings } };
    },
  });
}
