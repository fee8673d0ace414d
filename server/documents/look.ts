import { readFileSync } from 'node:fs';
import type { Brand } from '../config/brand.ts';
import type { Config } from '../config/config.ts';
import { ConfigError, reasonOf } from '../platform/config-error.ts';

/** How the hoster's documents look. */
export interface DocumentLook {
  /** A PNG, at the head of the first page. */
  logo: Uint8Array | null;
  /** Of titles and rules, such as "#2563c4". */
  color: string;
  /** Path of a font file; null for the one that comes with the service. */
  font: string | null;
}

export const PLAIN_LOOK: DocumentLook = { logo: null, color: '#000000', font: null };

/** Every document has these, whatever it says. */
const LETTERS_OF_TEXTS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ÄÖÜäöüß–×·%.,:;()&-';

/**
 * Returns how documents look by the configuration. Throws {@link ConfigError} for a logo that cannot be drawn, and for a font
 * without the letters of every document, so that this shows at the start and not with the month's invoices.
 */
export async function loadLook(
  { documentLogo, documentFont }: Pick<Config, 'documentLogo' | 'documentFont'>,
  { logo, light }: Pick<Brand, 'logo' | 'light'>,
): Promise<DocumentLook> {
  const look = {
    logo: documentLogo === undefined ? pngOf(logo) : readLogo(documentLogo),
    color: light.color,
    font: documentFont ?? null,
  };
  if (documentFont !== undefined) await requireFont(documentFont);
  if (look.logo !== null) await requireDrawable(look.logo);
  return look;
}

const pngOf = (logo: Brand['logo']) => (logo?.type === 'image/png' ? new Uint8Array(logo.bytes) : null);

function readLogo(path: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw new ConfigError([`VAUBAN_DOCUMENT_LOGO: ${path} cannot be read: ${reasonOf(error)}`]);
  }
}

/** The library is loaded for it: without a logo or a font of its own, a start has no use for it. */
async function requireDrawable(logo: Uint8Array): Promise<void> {
  const { Sheet } = await import('./sheet.ts');
  try {
    new Sheet({ title: '', language: 'en', issuedAt: new Date(0) }).drawLogo(logo);
  } catch (error) {
    throw new ConfigError([
      `VAUBAN_DOCUMENT_LOGO: the logo of documents must be a PNG without interlacing: ${reasonOf(error)}`,
    ]);
  }
}

async function requireFont(path: string): Promise<void> {
  const { missingLetters } = await import('./letters.ts');
  let missing: string[];
  try {
    missing = missingLetters(LETTERS_OF_TEXTS, path);
  } catch (error) {
    throw new ConfigError([
      `VAUBAN_DOCUMENT_FONT: ${path} is no TrueType or OpenType font of one face: ${reasonOf(error)}`,
    ]);
  }
  if (missing.length > 0)
    throw new ConfigError([
      `VAUBAN_DOCUMENT_FONT: ${path} has no ${missing.join(' ')}, which documents need`,
    ]);
}
