import { Option } from 'commander';
import { group, plain } from '../command.ts';
import { instant, print, printTable } from '../output.ts';

const list = plain('list', 'listMails', {
  about: 'list mails to people, newest first',
  options: {
    status: new Option('--status <status>', 'only mails with this status; failed: given up').choices([
      'pending',
      'sent',
      'failed',
    ]),
  },
  print: (mails) =>
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
    ),
});

const retry = plain('retry', 'retryMail', {
  about: 'retry a mail that was not sent, at once',
  args: { id: ['<mail>', 'its id, mail_…'] },
  print: ({ id, recipient }) => print(`Mail ${id} to ${recipient} will be sent within seconds.`),
});

export const mail = group('mail', 'mails to people', list, retry);
