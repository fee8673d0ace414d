import type { DirectBoot, Image } from './image.ts';
import { isReadiness } from './readiness.ts';

/** What becomes an image: files anywhere on this machine. They are copied. */
export interface ImageSource {
  /** The code of the catalog's template, or what that names as its image. */
  name: string;
  /** A qcow2 or raw disk that boots by BIOS. */
  disk: string;
  /** Who logs in first. */
  user: string;
  /** Of `disk` as it was published, in hexadecimal; checked where given. */
  sha256?: string;
  directBoot?: DirectBoot;
  readiness?: string;
  readyWithinSeconds?: number;
  warm?: true;
}

/** What is wrong with an {@link ImageSource}: the message is a sentence that follows the name of `field`. */
export class ImageError extends Error {
  override name = 'ImageError';
  readonly field:
    | 'name'
    | 'disk'
    | 'user'
    | 'sha256'
    | 'kernel'
    | 'initrd'
    | 'append'
    | 'ready'
    | 'ready_within_seconds';

  constructor(field: ImageError['field'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}

/** As the catalog writes codes: it can be no path. */
export const NAME = /^[a-z0-9][a-z0-9.-]{0,62}$/;
const USER = /^[a-z_][a-z0-9_-]{0,31}$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** What a kernel reads of its command line. */
const APPEND = /^[ -~]{0,1024}$/;
/** An hour: what takes longer is not waited for. */
const MAX_READY_SECONDS = 3_600;

/** How readiness is detected, as it is stored; {@link ImageError} for an unknown way. */
export function readinessOf({
  readiness,
  readyWithinSeconds,
}: ImageSource): Pick<Image, 'readiness' | 'readyWithinSeconds'> {
  if (readiness !== undefined && !isReadiness(readiness))
    throw new ImageError('ready', 'must be port:NUMBER, agent, cloud-init or none');
  const seconds = readyWithinSeconds;
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_READY_SECONDS))
    throw new ImageError('ready_within_seconds', `must be a whole number from 1 to ${MAX_READY_SECONDS}`);
  return {
    ...(readiness !== undefined && { readiness }),
    ...(seconds !== undefined && { readyWithinSeconds: seconds }),
  };
}

/** {@link ImageError} for the first field that cannot be. */
export function refuseFields(source: ImageSource): void {
  const { name, user, sha256, directBoot } = source;
  readinessOf(source);
  if (!NAME.test(name)) throw new ImageError('name', 'must be lower-case letters, digits, "-" and "."');
  if (!USER.test(user)) throw new ImageError('user', 'must be the name of a Unix user');
  if (sha256 !== undefined && !SHA256.test(sha256))
    throw new ImageError('sha256', 'must be 64 hexadecimal digits in lower case');
  if (directBoot && !APPEND.test(directBoot.append))
    throw new ImageError('append', 'must be at most 1024 printable ASCII characters');
}
