import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Placeholder for the base address in the texts; unreachable and unlike anything else in them. */
export const BASE_URL_PLACEHOLDER = 'https://base-url.invalid';

/** Addresses under which a service is reached, such as its name and its IP, plus a few mistakes. */
const MAX_BASES = 8;
/** Nearly the best compression in a tenth of its time. */
const BROTLI_QUALITY = 7;

export type Encoding = 'br' | 'gzip';

/** A text ready to send, plain and compressed, with its entity tag. */
export interface PublishedText {
  etag: string;
  text: Buffer;
  /** Absent while the texts of another address are being compressed; the text is then sent uncompressed. */
  compressed?: Record<Encoding, Buffer>;
}

/**
 * Texts that contain the address they are served at, compressed once for each address. A caller chooses the address
 * through the `Host` header, so the cost of unknown ones is bounded: one is compressed at a time, and few are kept.
 */
export class PublishedTexts<Name extends string> {
  readonly #templates: Record<Name, string>;
  readonly #byBase = new Map<string, Record<Name, PublishedText>>();
  #compressing = false;

  constructor(templates: Record<Name, string>) {
    this.#templates = templates;
  }

  async get(name: Name, baseUrl: string): Promise<PublishedText> {
    const known = this.#byBase.get(baseUrl);
    if (known) return known[name];
    if (this.#compressing) return publish(this.#at(name, baseUrl));
    this.#compressing = true;
    try {
      const made = await this.#compressAll(baseUrl);
      const [oldest] = this.#byBase.keys();
      if (this.#byBase.size >= MAX_BASES) this.#byBase.delete(oldest!);
      this.#byBase.set(baseUrl, made);
      return made[name];
    } finally {
      this.#compressing = false;
    }
  }

  #at(name: Name, baseUrl: string): Buffer {
    return Buffer.from(this.#templates[name].replaceAll(BASE_URL_PLACEHOLDER, baseUrl));
  }

  async #compressAll(baseUrl: string): Promise<Record<Name, PublishedText>> {
    const names = Object.keys(this.#templates) as Name[];
    const texts = names.map(async (name) => {
      const text = this.#at(name, baseUrl);
      return [name, { ...publish(text), compressed: await compress(text) }] as const;
    });
    return Object.fromEntries(await Promise.all(texts)) as unknown as Record<Name, PublishedText>;
  }
}

/** Returns the encoding to send, according to the caller's `Accept-Encoding`; undefined for none. */
export function negotiate(acceptEncoding: string | undefined): Encoding | undefined {
  const accepted = (acceptEncoding ?? '')
    .split(',')
    .map((choice) => choice.trim().toLowerCase())
    .filter((choice) => !/;\s*q=0(\.0*)?$/.test(choice))
    .map((choice) => choice.split(';', 1)[0]!.trim());
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding));
}

function publish(text: Buffer): PublishedText {
  const hash = createHash('sha256').update(text).digest('base64url');
  // A weak tag, because the same text is sent in three encodings.
  return { etag: `W/"${hash}"`, text };
}

async function compress(text: Buffer): Promise<Record<Encoding, Buffer>> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(text, { params }),
    promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return { br, gzip: gz };
}
