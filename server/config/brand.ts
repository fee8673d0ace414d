import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { contrast, readableShade } from '../platform/color.ts';
import { ConfigError, reasonOf } from '../platform/config-error.ts';
import type { Config } from './config.ts';
import { signUpMode } from './panel-problems.ts';
import type { Language, SignUpMode } from './panel-settings.ts';

export interface Logo {
  bytes: Buffer;
  type: 'image/svg+xml' | 'image/png';
  /** Changes with the file, so that browsers can cache the logo indefinitely. */
  hash: string;
}

export interface BrandColor {
  color: string;
  text: string;
}

/** The hoster's branding, as customers see it before they sign in and in mails. */
export interface Brand {
  name: string;
  logo: Logo | null;
  light: BrandColor;
  dark: BrandColor;
  termsUrl: string | null;
  supportUrl: string | null;
  /** At least one; the first is the panel's default. */
  languages: readonly Language[];
  signUp: SignUpMode;
}

/** A larger file would be a photo; everyone who opens the panel downloads the logo. */
const MAX_LOGO_BYTES = 256 * 1024;
/** The contrast that people with impaired sight need to read text: WCAG 2, AA. */
const LEAST_CONTRAST = 4.5;
/**
 * The backgrounds of the panel's themes with the least contrast: the darkest of the light theme, the lightest of the
 * dark one.
 */
const LIGHT_BACKGROUND = '#f5f3f0';
const DARK_BACKGROUND = '#1d2026';
const TEXT_ON_BRAND = ['#ffffff', '#0b1220'] as const;

/**
 * Loads the branding from the configuration. Throws {@link ConfigError} for a colour that is unreadable, or an invalid
 * logo.
 */
export function loadBrand(config: Config): Brand {
  const color = config.panelBrandColor;
  const shade = readableShade(color, LIGHT_BACKGROUND, LEAST_CONTRAST);
  if (shade !== color)
    throw new ConfigError([
      `VAUBAN_PANEL_BRAND_COLOR: ${color} is not readable on the light theme: its contrast is ${contrast(color, LIGHT_BACKGROUND).toFixed(1)}, but must be at least ${LEAST_CONTRAST}; ${shade} would work`,
    ]);
  return {
    name: config.panelName,
    logo: config.panelLogo === undefined ? null : readLogo(config.panelLogo),
    light: withText(color),
    dark: withText(readableShade(color, DARK_BACKGROUND, LEAST_CONTRAST)),
    termsUrl: config.panelTermsUrl ?? null,
    supportUrl: config.panelSupportUrl ?? null,
    languages: config.panelLanguages,
    signUp: signUpMode(config),
  };
}

/** On any colour, one of the two is readable. */
function withText(color: string): BrandColor {
  const [light, dark] = TEXT_ON_BRAND;
  return { color, text: contrast(light, color) >= contrast(dark, color) ? light : dark };
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function readLogo(path: string): Logo {
  const refuse = (problem: string) => new ConfigError([`VAUBAN_PANEL_LOGO: ${path} ${problem}`]);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw refuse(`cannot be read: ${reasonOf(error)}`);
  }
  if (bytes.length > MAX_LOGO_BYTES) throw refuse(`is larger than ${MAX_LOGO_BYTES / 1024} KB`);
  const isPng = bytes.subarray(0, PNG.length).equals(PNG);
  if (
    !isPng &&
    !/^\s*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*<svg[\s>]/.test(bytes.toString('utf8'))
  )
    throw refuse('must be an SVG or a PNG');
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { bytes, type: isPng ? 'image/png' : 'image/svg+xml', hash };
}
