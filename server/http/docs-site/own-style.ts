import type { Brand } from '../../config/brand.ts';

/**
 * Returns a style sheet with everything that differs by installation and reader: the hoster's colours and name, whether
 * there is a logo, and the theme chosen in the panel. It is loaded before anything is drawn, so that no page is first
 * drawn in another theme, and the pages themselves stay files that are compressed only once.
 */
export function ownStyle(
  { name, logo, light, dark }: Pick<Brand, 'name' | 'logo' | 'light' | 'dark'>,
  theme: string | undefined,
): string {
  const rules = [
    `--brand-light: ${light.color}`,
    `--brand-dark: ${dark.color}`,
    `--own-name: ${quoted(name)}`,
    ...(logo ? ['--own-logo: inline-block'] : []),
    ...(theme ? [`color-scheme: ${theme}`] : []),
  ];
  return `:root { ${rules.join('; ')} }\n`;
}

/** Returns a CSS string literal that its content cannot terminate. */
function quoted(text: string): string {
  const escaped = text.replace(/[^\p{L}\p{N} ]/gu, (char) => `\\${char.codePointAt(0)!.toString(16)} `);
  return `"${escaped}"`;
}
