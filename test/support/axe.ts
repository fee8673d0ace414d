import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Rules whose result depends on the theme: a page that was checked in one theme needs only these in the other. */
export const COLOURS: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** Selects axe's rules; all by default. */
export interface Rules {
  only?: readonly string[];
  without?: readonly string[];
}

/** Returns axe's findings by WCAG 2.2 AA and its best practices: a line per rule, with some of the elements. */
export async function violations(page: Page, { only, without = [] }: Rules = {}): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(AXE);
  const options = {
    resultTypes: ['violations'],
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    ...(only && { runOnly: { type: 'rule', values: only } }),
  };
  const found = (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) =>
      ({ id, nodes: nodes.map(({ html, failureSummary }) => html + " " + failureSummary) })))`,
  )) as { id: string; nodes: string[] }[];
  return found.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).join(' ')}`);
}
