import type { Services } from './services.ts';
import { VERSION } from './version.ts';

/** What a start in production goes through with, although customers may not expect it. */
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

/** What the service has been composed of. */
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
