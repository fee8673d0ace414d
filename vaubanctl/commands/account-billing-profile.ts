import { Option } from 'commander';
import type { TaxedProfile } from '../../shared/api/operator.ts';
import type { Add } from '../command.ts';
import { contextOf } from '../context.ts';
import type { Input } from '../operator-client.ts';
import { ACCOUNT } from '../option-values.ts';
import { printFields, printJson } from '../output.ts';

interface Options {
  kind?: string;
  name?: string;
  street?: string;
  city?: string;
  postcode?: string;
  country?: string;
  vatId?: string;
  exemptReason?: string;
  /** These are false by --no-order-reference, --no-language and --no-mail-to. */
  orderReference?: string | false;
  language?: 'en' | 'de' | false;
  mailTo?: string[] | false;
}

export const billingProfile: Add = (parent) => {
  parent
    .command('billing-profile')
    .description("show the recipient of an account's invoices, or replace it; it determines the tax")
    .argument(...ACCOUNT)
    .addOption(new Option('--kind <kind>', 'type of buyer').choices(['business', 'consumer']))
    .option('--name <name>', 'name of the company or person')
    .option('--street <street>', 'and number')
    .option('--city <city>')
    .option('--postcode <postcode>')
    .option('--country <code>', 'ISO 3166-1, such as DE')
    .option('--vat-id <id>', 'VAT id of a business; with one from another EU country, it pays the tax itself')
    .option('--exempt-reason <text>', 'reason for a tax exemption, as required on invoices')
    .option('--order-reference <number>', "the customer's own number, which is printed on documents")
    .addOption(new Option('--language <code>', 'of documents').choices(['en', 'de']))
    .option('--mail-to <address...>', 'recipient of documents by mail (default: the owners)')
    .option('--no-order-reference', 'print no number on documents')
    .option('--no-language', "use the owner's language for documents")
    .option('--no-mail-to', 'send documents to the owners')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl account billing-profile acc_…
  $ vaubanctl account billing-profile acc_… --kind business --name "Example B.V." --street "Damrak 1" \\
      --city Amsterdam --postcode "1012 LG" --country NL --vat-id NL004495445B01`,
    )
    .action(async (id: string, options: Options, command) => {
      const { client, json } = contextOf(command);
      const {
        vatId: vat_id,
        exemptReason: exempt_reason,
        orderReference,
        mailTo,
        language,
        ...rest
      } = options;
      const shown =
        Object.keys(options).length > 0
          ? await client.call('setBillingProfile', {
              id,
              ...rest,
              vat_id,
              exempt_reason,
              order_reference: orderReference === false ? null : orderReference,
              language: language === false ? null : language,
              mail_to: mailTo === false ? [] : mailTo,
              // The service reports missing fields.
            } as Input<'setBillingProfile'>)
          : await client.call('getBillingProfile', { id });
      if (json) printJson(shown);
      else print(shown);
    });
};

function print({ profile, tax }: TaxedProfile): void {
  const { category, rate, reason } = tax;
  const shownTax = `${category.replaceAll('_', ' ')}, rate ${rate}${reason === null ? '' : ` (${reason})`}`;
  if (!profile) {
    printFields({ profile: 'none', tax: shownTax });
    return;
  }
  const { kind, name, street, postcode, city, country, vat_id, order_reference, language, mail_to } = profile;
  const address = [street, [postcode, city].filter(Boolean).join(' '), country].join(', ');
  printFields({
    ...{ kind, name, address, 'vat id': vat_id ?? 'none', tax: shownTax },
    'order number': order_reference ?? 'none',
    'documents in': language ?? "the owner's language",
    // A node of the last release knows of none.
    'mailed to': mail_to?.join(', ') || 'the owners',
  });
}
