import { writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { safe } from '../../../shared/safe-text.ts';
import { EXIT, Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { idOf } from '../names.ts';
import { type GlobalOptions, Session } from '../session.ts';

interface Options extends GlobalOptions {
  format: 'pdf' | 'xml';
  to?: string;
}

/** Adds `vauban billing download`, which saves an issued invoice as a file. */
export function addInvoiceFile(billing: Command, io: Io): void {
  billing
    .command('download')
    .description('save an issued invoice as a PDF with its e-invoice, or only the e-invoice (XML)')
    .argument('<invoice>')
    .addOption(new Option('--format <format>', 'the file type').choices(['pdf', 'xml']).default('pdf'))
    .option('--to <file>', 'path of the file (default: its number in this directory; "-": standard output)')
    .addHelpText(
      'after',
      '\nRequires the scope billing:read.\n\nExample:\n  $ vauban billing download INV-2026-000001',
    )
    .action(async (given: string, _: object, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await download(new Session(io, options), given, options);
    });
}

async function download(session: Session, given: string, { format, to }: Options): Promise<void> {
  const { client, io } = session;
  const id = await idOf(client, 'invoices', given, []);
  const bytes = await client.invoiceFile(id, format, { signal: io.signal });
  if (to === '-') return void io.stdout.write(bytes);
  const { number } = await client.billing.invoice(id, { signal: io.signal });
  // The invoice number comes from the service: it must not name a file outside the current directory.
  const file = to ?? `${(number ?? id).replace(/[^\w-]/g, '_')}.${format}`;
  try {
    writeFileSync(file, bytes, { flag: 'wx' });
  } catch (error) {
    throw new Failure(EXIT.wronglyCalled, safe((error as Error).message));
  }
  session.note(`Saved as ${safe(file)}`);
}
