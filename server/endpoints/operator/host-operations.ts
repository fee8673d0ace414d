import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { readSupply } from '../../cluster/read-supply.ts';
import { inspectHost } from '../../compute/qemu/host.ts';
import type { Image } from '../../compute/qemu/image.ts';
import { collectImages } from '../../compute/qemu/image-collection.ts';
import { ImageError } from '../../compute/qemu/image-source.ts';
import { createImageStore, type ImageStore } from '../../compute/qemu/image-store.ts';
import { DEFAULT_READINESS } from '../../compute/qemu/readiness.ts';
import { Input } from '../../http/schemas.ts';
import { type Amount, amountsOf } from '../../jobs/timers/watch-capacity.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { ApiError, invalidField, notFound } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { Line } from './shared/input.ts';

const MEGABYTE = 1_048_576;
/** What Linux takes as a path. */
const MAX_PATH = 4_096;
/** What a kernel reads of its command line. */
const MAX_APPEND = 1_024;
/** Seen from the directory that the service runs in a relative path would be another file than the operator means. */
const AbsolutePath = Type.String({ pattern: '^/', 'x-expected': 'an absolute path', maxLength: MAX_PATH });

const NewImage = Input({
  name: Line,
  disk: AbsolutePath,
  user: Line,
  sha256: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', 'x-expected': '64 hexadecimal digits in lower case' }),
  ),
  ready: Type.Optional(Line),
  ready_within_seconds: Type.Optional(Type.Integer()),
  direct_boot: Type.Optional(
    Input({
      kernel: AbsolutePath,
      initrd: AbsolutePath,
      append: Type.String({ maxLength: MAX_APPEND }),
    }),
  ),
});

function presentImage({ name, sha256, virtualBytes, user, directBoot, ...image }: Image) {
  const { readiness: ready = DEFAULT_READINESS, readyWithinSeconds = null } = image;
  return {
    ...{ name, sha256, virtual_bytes: virtualBytes, user, direct_boot: directBoot !== undefined },
    ...{ ready, ready_within_seconds: readyWithinSeconds },
  };
}

function imagesOf({ config }: OperatorServices, reservedBytes = 0): ImageStore {
  return createImageStore(join(config.dataDir, 'images'), reservedBytes);
}

/** The images of guests, and whether this machine can run any: both as the service's own user sees them. */
export function registerHostOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/images',
    body: NewImage,
    async handle({ body: { direct_boot, ready, ready_within_seconds, ...source }, services }) {
      const readiness = { readiness: ready, readyWithinSeconds: ready_within_seconds };
      const given = { ...source, ...readiness, ...(direct_boot && { directBoot: direct_boot }) };
      const image = await imagesOf(services, services.config.poolReserveMb * MEGABYTE)
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
    method: 'POST',
    path: '/images/:id/remove',
    async handle({ id: name, services }) {
      if (!(await imagesOf(services).remove(name))) throw notFound();
      services.logger.info({ image: name }, 'image removed');
      return { data: { name, removed: true } };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/images/collect',
    async handle({ services: { config, clock, logger } }) {
      const collected = await collectImages(config, clock.now());
      logger.info(collected, 'images collected');
      return { data: collected };
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
      const { dataDir, poolDir = dataDir, qemuAccel: accelerator } = config;
      const findings = await inspectHost({ dataDir, poolDir, images: imagesOf(services), accelerator });
      return { data: { compute: compute.name, findings } };
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/host/capacity',
    async handle({ services }) {
      const supply = await readSupply(services);
      if (supply instanceof ApiError) throw supply;
      return { data: { zones: supply.capacity.zones, resources: amountsOf(supply).map(presentAmount) } };
    },
  });
}

/** Without a limit there is neither a total nor a rest. */
function presentAmount({ resource, total, reserved }: Amount) {
  if (total === Infinity) return { resource, total: null, reserved, free: null };
  return { resource, total, reserved, free: total - reserved };
}
