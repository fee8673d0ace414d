import { type Context, localeOf, type Template } from './content.ts';
import { layOut, type MailBrand, type Rendered } from './layout.ts';
import { TEMPLATES, type TemplateName } from './templates/index.ts';

/** Renders a template with its values. Throws if this release does not have the template. */
export function renderMail(
  template: string,
  values: unknown,
  locale: string,
  { brand, panelUrl }: { brand: MailBrand; panelUrl: string },
): Rendered {
  const found = Object.hasOwn(TEMPLATES, template) ? TEMPLATES[template as TemplateName] : undefined;
  if (!found) throw new Error(`there is no mail called ${template}`);
  const language = localeOf(locale);
  const context: Context = { brand: brand.name, panelUrl };
  const content = (found as Template<unknown>)[language](values, context);
  return layOut(content, brand, { locale: language, ...context });
}
