import type { Brand } from '../config/brand.ts';
import type { DocumentLook } from '../documents/look.ts';
import { VERSION } from '../platform/version.ts';
import type { Services } from './services.ts';

/** Warns about things that production accepts but customers may not expect. */
export function warnOfPretence({
  config,
  compute,
  catalog,
  logger,
}: Pick<Services, 'config' | 'compute' | 'catalog' | 'logger'>): void {
  if (config.mode !== 'production') return;
  if (compute.name === 'simulator')
    logger.warn('the VMs of this service are simulated: they look real to customers, and none runs');
  if (!catalog.seller)
    logger.warn(
      'the catalog names no seller: invoices are issued without one, permanently, and have neither PDF nor XML',
    );
  if (!config.mailSmtpUrl)
    logger.warn('VAUBAN_MAIL_SMTP_URL is not set: mails to customers are written to files and not delivered');
}

type LookParts = Pick<Services, 'catalog' | 'logger'> & { brand: Pick<Brand, 'logo'>; look: DocumentLook };

/** Says what documents will lack. */
export function warnOfLook(parts: LookParts): Promise<void> {
  warnOfLogo(parts);
  return warnOfLetters(parts);
}

/** Says that documents have no logo though the panel has one that they could have. */
function warnOfLogo({ brand: { logo }, look, logger }: LookParts): void {
  if (logo?.type === 'image/png' && look.logo === null)
    logger.warn(
      'documents have no logo: VAUBAN_PANEL_LOGO is too large for them, interlaced or damaged; set VAUBAN_DOCUMENT_LOGO to another file',
    );
}

/** The first character after the Latin alphabet: our font has all letters before it. */
const NOT_LATIN = '\u0250';

/** Warns about letters of the seller, of plans and of add-ons that the documents' font lacks: documents show boxes instead. */
export async function warnOfLetters({
  catalog: { seller, plans, add_ons = [] },
  look: { font },
  logger,
}: Omit<LookParts, 'brand'>): Promise<void> {
  const text = [...Object.values(seller ?? {}), ...[...plans, ...add_ons].map(({ name }) => name)]
    .join('')
    .replaceAll('\n', '');
  // Checked first to avoid loading the library, which a start with only Latin letters does not need.
  if (font === null && [...text].every((letter) => letter < NOT_LATIN)) return;
  const { missingLetters } = await import('../documents/letters.ts');
  const missing = missingLetters(text, font ?? undefined);
  if (missing.length > 0)
    logger.warn(
      { letters: missing.join('') },
      'documents cannot show letters that the catalog has: VAUBAN_DOCUMENT_FONT names a font with them',
    );
}

export async function logStart({ db, compute, edge, gateway, logger }: Services): Promise<void> {
  const [report, edgeReport, gatewayReport] = [
    await compute.probe(),
    await edge.probe(),
    await gateway.probe(),
  ];
  logger.info(
    {
      version: VERSION,
      database: db.engine,
      compute: compute.name,
      report: report.summary,
      edge: edgeReport.summary,
      gateway: gatewayReport.summary,
    },
    'starting',
  );
}
