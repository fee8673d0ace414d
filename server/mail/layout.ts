import type { Brand } from '../config/brand.ts';
import type { Content, Context, Locale } from './content.ts';

export interface Rendered {
  subject: string;
  text: string;
  html: string;
}

export type MailBrand = Pick<Brand, 'name' | 'light' | 'supportUrl'>;

const SUPPORT: Record<Locale, string> = { en: 'Support', de: 'Support' };
const IN_BROWSER: Record<Locale, string> = {
  en: 'If the button does not work, open this address:',
  de: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
};

/** Renders a mail. All content is escaped here and nowhere else, so that no template can forget it. */
export function layOut(
  content: Content,
  brand: MailBrand,
  { locale }: { locale: Locale } & Context,
): Rendered {
  if (content.action && !/^https?:\/\//.test(content.action.url))
    throw new Error('a mail can only link to web pages');
  return {
    subject: oneLine(content.subject),
    text: asText(content, brand, locale),
    html: asHtml(content, brand, locale),
  };
}

/**
 * Makes a text one line. A name chosen by a customer must not start another header or change the direction of the text.
 */
const oneLine = (text: string) => text.replace(/\p{C}+/gu, ' ').trim();

function asText(
  { paragraphs, facts = [], action, notes = [] }: Content,
  brand: MailBrand,
  locale: Locale,
): string {
  const blocks = [
    ...paragraphs.map(oneLine),
    ...(facts.length > 0
      ? [facts.map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}`).join('\n')]
      : []),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...notes.map(oneLine),
    `-- \n${oneLine(brand.name)}${brand.supportUrl ? `\n${SUPPORT[locale]}: ${brand.supportUrl}` : ''}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function asHtml(
  { subject, paragraphs, facts = [], action, notes = [] }: Content,
  brand: MailBrand,
  locale: Locale,
): string {
  const { color, text } = brand.light;
  const small = 'margin:0 0 12px;color:#555a63;font-size:13px;line-height:1.5';
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#555a63;vertical-align:top">${escaped(name)}</td><td style="padding:2px 0">${escaped(value)}</td></tr>`,
  );
  const parts = [
    ...paragraphs.map((line) => `<p style="margin:0 0 16px">${escaped(line)}</p>`),
    ...(rows.length > 0
      ? [`<table role="presentation" style="border-spacing:0;margin:0 0 16px">${rows.join('')}</table>`]
      : []),
    ...(action
      ? [
          `<p style="margin:24px 0"><a href="${escaped(action.url)}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:${color};color:${text};text-decoration:none;font-weight:600">${escaped(action.label)}</a></p>`,
          `<p style="${small}">${IN_BROWSER[locale]}<br><a href="${escaped(action.url)}" style="color:${color};word-break:break-all">${escaped(action.url)}</a></p>`,
        ]
      : []),
    ...notes.map((line) => `<p style="${small}">${escaped(line)}</p>`),
  ];
  const support = brand.supportUrl
    ? ` · <a href="${escaped(brand.supportUrl)}" style="color:#555a63">${SUPPORT[locale]}</a>`
    : '';
  return `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(subject)}</title></head>
<body style="margin:0;background:#f5f3f0;color:#1c2430;font:15px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:560px;margin:0 auto;padding:32px 16px">
<p style="margin:0 0 16px;color:${color};font-weight:700;font-size:17px">${escaped(brand.name)}</p>
<div style="background:#ffffff;border:1px solid #e3dfd9;border-radius:8px;padding:24px">
${parts.join('\n')}
</div>
<p style="margin:16px 0 0;color:#555a63;font-size:12px">${escaped(brand.name)}${support}</p>
</div></body></html>
`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return oneLine(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}
