import { eInvoiceObstacle, type InvoiceDocument, type Obstacle } from '../domain/billing/invoice-document.ts';
import { brokenRules } from './en16931/rules.ts';
import { eInvoiceTerms } from './en16931/terms.ts';

/** Returns why no e-invoice of `document` may be issued; undefined if one may. */
export function obstacleTo(document: InvoiceDocument): Obstacle | undefined {
  const reason = eInvoiceObstacle(document);
  if (reason !== undefined) return { reason, rules: [] };
  const rules = brokenRules(eInvoiceTerms(document));
  return rules.length === 0
    ? undefined
    : { reason: `it would violate ${rules.join(', ')} of EN 16931`, rules };
}
