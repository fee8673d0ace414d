import { readFileSync } from 'node:fs';
import type { Brand } from '../config/brand.ts';
import type { Config } from '../config/config.ts';
import { ConfigError, reasonOf } from '../platform/config-error.ts';
import { requirePixels } from './pixels.ts';

export interface DocumentLook {
  /** A PNG at the top of the first page. */
  logo: Uint8Array | null;
  /** Colour of titles and rules, such as "#2563c4". */
  color: string;
  /** Path of a font file; null for the font that comes with the service. */
  font: string | null;
}

export const PLAIN_LOOK: DocumentLook = { logo: null, color: '#000000', font: null };

/** The same as for the panel's logo: it is part of each document, and of each mail with a document. */
const MAX_LOGO_BYTES = 256 * 1024;
/** Fine enough for print at 600 dpi. Each pixel adds to the time that each document takes. */
const MAX_LOGO_PIXELS = 1_000_000;

/** Letters that occur in every document, whatever its contents. */
const LETTERS_OF_TEXTS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ÄÖÜäöüß–×·%.,:;()&-';

/**
 * Returns the look of documents from the configuration. Throws {@link ConfigError} for a logo that cannot be drawn, and
 * for a font without the letters of every document, so that the error appears at the start and not with the month's
 * invoices.
 */
export async function loadLook(
  { documentLogo, documentFont }: Pick<Config, 'documentLogo' | 'documentFont'>,
  { logo, light }: Pick<Brand, 'logo' | 'light'>,
): Promise<DocumentLook> {
  const look = {
    logo: documentLogo === undefined ? await pngOf(logo) : await readLogo(documentLogo),
    color: light.color,
    font: documentFont ?? null,
  };
  if (documentFont !== undefined) await requireFont(documentFont);
  return look;
}

/** Returns the panel's logo for use in documents; null if it is too large for them or cannot be drawn there. */
async function pngOf(logo: Brand['logo']): Promise<Uint8Array | null> {
  if (logo?.type !== 'image/png' || excessOf(logo.bytes) !== undefined) return null;
  return (await whyNotDrawable(logo.bytes)) === undefined ? new Uint8Array(logo.bytes) : null;
}

/** Returns which limit a PNG exceeds; undefined if none. */
function excessOf(png: Buffer): string | undefined {
  if (png.length > MAX_LOGO_BYTES) return `${png.length} bytes; at most 256 KB are allowed`;
  // A file too short to contain its dimensions is refused when it is drawn.
  if (png.length < 24) return undefined;
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  return width * height > MAX_LOGO_PIXELS
    ? `${width} × ${height} pixels; at most one million are allowed`
    : undefined;
}

async function readLogo(path: string): Promise<Uint8Array> {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch (error) {
    throw new ConfigError([`VAUBAN_DOCUMENT_LOGO: ${path} cannot be read: ${reasonOf(error)}`]);
  }
  const excess = excessOf(file);
  if (excess !== undefined) throw new ConfigError([`VAUBAN_DOCUMENT_LOGO: ${path} has ${excess}`]);
  const reason = await whyNotDrawable(file);
  if (reason !== undefined)
    throw new ConfigError([
      `VAUBAN_DOCUMENT_LOGO: ${path} must be a valid PNG without interlacing: ${reason}`,
    ]);
  return new Uint8Array(file);
}

/**
 * Returns why a logo cannot be drawn; undefined if it can. Loads the library only when called, because a start without
 * a custom logo or font does not need it.
 */
async function whyNotDrawable(logo: Buffer): Promise<string | undefined> {
  const { Sheet } = await import('./sheet.ts');
  try {
    requirePixels(logo);
    new Sheet({ title: '', language: 'en', issuedAt: new Date(0) }).drawLogo(new Uint8Array(logo));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

async function requireFont(path: string): Promise<void> {
  const { missingLetters } = await import('./letters.ts');
  let missing: string[];
  try {
    missing = missingLetters(LETTERS_OF_TEXTS, path);
  } catch (error) {
    throw new ConfigError([
      `VAUBAN_DOCUMENT_FONT: ${path} is not a TrueType or OpenType font with a single face: ${reasonOf(error)}`,
    ]);
  }
  if (missing.length > 0)
    throw new ConfigError([
      `VAUBAN_DOCUMENT_FONT: ${path} has no ${missing.join(' ')}, which documents need`,
    ]);
}
