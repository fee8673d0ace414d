import type { OperatorLink } from '../../shared/api/operator.ts';
import { group, plain } from '../command.ts';
import { instant, note, print, printTable } from '../output.ts';

const EMAIL = ['<email>', 'sign-in address of the operator'] as const;

const add = plain('add', 'addOperator', {
  about: "give an address access to the operator's pages; prints a link that works once",
  args: { email: EMAIL },
  help: `The link leads to a page for choosing a second factor, which is required before anything else. Only the link is written to standard output.

Example:
  $ vaubanctl operator add anna@example.com`,
  print: printLink,
});

const link = plain('link', 'createOperatorLink', {
  about: 'let a locked-out operator start over; prints a link that works once',
  args: { email: EMAIL },
  question: ({ email }) => `Remove the password, second factors and sessions of ${email}?`,
  print: printLink,
});

const list = plain('list', 'listOperators', {
  about: 'list the operators',
  print: (operators) =>
    printTable(
      ['EMAIL', 'PASSWORD', 'APP', 'PASSKEYS>', 'LAST SIGN-IN', 'CREATED'],
      operators.map(({ email, password, totp, passkeys, last_sign_in_at, created_at }) => [
        email,
        password ? 'yes' : 'no',
        totp ? 'yes' : 'no',
        String(passkeys),
        instant(last_sign_in_at),
        instant(created_at),
      ]),
    ),
});

const remove = plain('remove', 'removeOperator', {
  about: 'end the access of an operator at once',
  args: { email: EMAIL },
  question: ({ email }) => `End the access of ${email} to the operator's pages?`,
  print: (_, { email }) => print(`${email} is no longer an operator.`),
});

function printLink({ url, expires_at }: OperatorLink, { email }: { email: string }): void {
  print(url);
  note(`Signs ${email} in once, until ${instant(expires_at)}.`);
}

export const operator = group(
  'operator',
  "the people who sign in to the operator's pages",
  add,
  link,
  list,
  remove,
);
