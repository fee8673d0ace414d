import type { Database } from '../../server/db/database.ts';
import type { PartyRow } from '../../server/db/queries/money/invoices.ts';
import { obstacleTo } from '../../server/documents/obstacle.ts';
import { issueDocuments } from '../../server/domain/billing/issue-documents.ts';
import { createLogger } from '../../server/platform/logging.ts';

/** Issues all due invoices, each checked by the real rules. Returns how many were examined. */
export function issueInvoices(
  db: Database,
  now: Date,
  limit?: number,
  seller: PartyRow | null = null,
  footer: string | null = null,
): Promise<number> {
  const documents = {
    check: async (_: string, document: Parameters<typeof obstacleTo>[0]) => obstacleTo(document),
  };
  return issueDocuments(
    { db, logger: createLogger({ logLevel: 'silent' }), documents },
    now,
    limit,
    seller,
    footer,
  );
}
