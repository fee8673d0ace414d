import { type Command, Option } from 'commander';
import { contextOf } from '../context.ts';
import type { Lists } from '../operator-api.ts';
import { instant, print, printJson, printTable } from '../output.ts';

export function addMailList(parent: Command): void {
  parent
    .command('list')
    .description('list mails to people, newest first')
    .addOption(
      new Option('--status <status>', 'only mails with this status; failed: given up').choices([
        'pending',
        'sent',
        'failed',
      ]),
    )
    .action(async ({ status }: Lists['/mails']['query'], command: Command) => {
      const { client, json } = contextOf(command);
      const mails = await client.list('/mails', { query: { status } });
      if (json) return printJson(mails);
      printTable(
        ['AT', 'ID', 'TO', 'MAIL', 'STATUS', 'ATTEMPTS', 'ERROR'],
        mails.map((mail) => [
          instant(mail.created_at),
          mail.id,
          mail.recipient,
          mail.template,
          mail.status,
          String(mail.attempts),
          mail.last_error ?? '-',
        ]),
      );
    });
}

export function addMailRetry(parent: Command): void {
  parent
    .command('retry')
    .description('retry a mail that was not sent, at once')
    .argument('<mail>', 'its id, mail_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const mail = await client.post('/mails/{id}/retry', { params: { id } });
      if (json) printJson(mail);
      else print(`Mail ${mail.id} to ${mail.recipient} will be sent within seconds.`);
    });
}
