import { isReadiness } from '../guest/readiness.ts';
import type { DirectBoot, Image } from './image.ts';

/** The source of an image: files anywhere on this machine, which are copied. */
export interface ImageSource {
  /** The code of the catalog's template, or the image name given in the template. */
  name: string;
  /** A qcow2 or raw disk that boots with BIOS. */
  disk: string;
  /** The user for the first login. */
  user: string;
  /** Published checksum of `disk`, in hexadecimal; verified if given. */
  sha256?: string;
  directBoot?: DirectBoot;
  readiness?: string;
  readyWithinSeconds?: number;
  warm?: true;
}

/** An invalid {@link ImageSource}: the message is a sentence that follows the name of `field`. */
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

/** Same format as codes of the catalog; it can never be a path. */
export const NAME = /^[a-z0-9][a-z0-9.-]{0,62}$/;
const USER = /^[a-z_][a-z0-9_-]{0,31}$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** The kernel reads no more than this of its command line. */
const APPEND = /^[ -~]{0,1024}$/;
/** One hour: anything slower is not waited for. */
const MAX_READY_SECONDS = 3_600;

/** Returns the readiness check as it is stored. Throws {@link ImageError} if it is unknown. */
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

/** Throws {@link ImageError} for the first invalid field. */
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
