import type { Brand } from '../config/brand.ts';

/**
 * A style sheet with what is not the same in each installation and for each reader: the hoster's colours and name, whether
 * there is a logo, and the theme that was chosen in the panel. It is loaded before anything is drawn, so that no page is first
 * drawn in another theme, and the pages themselves stay files that are compressed once.
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

/** As a string of CSS, which nothing in it can end. */
function quoted(text: string): string {
  const escaped = text.replace(/[^\p{L}\p{N} ]/gu, (char) => `\\${char.codePointAt(0)!.toString(16)} `);
  return `"${escaped}"`;
}
