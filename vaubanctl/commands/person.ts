import { group, plain } from '../command.ts';
import { instant, note, print } from '../output.ts';

const link = plain('link', 'createSignInLink', {
  about: 'create a link that signs a person in to the panel once',
  args: { email: ['<email>', 'sign-in address of the person'] },
  options: {
    account_id: [
      '--account <account>',
      'make them a member of this account, and create the person if necessary',
    ],
    role: ['--role <role>', 'owner, operator or viewer of it (default: owner)'],
  },
  help: `The link replaces all factors, so give it only to that person. Only the link is written to standard output.

Examples:
  $ vaubanctl person link anna@example.com
  $ vaubanctl person link anna@example.com --account acc_… --role operator`,
  print: ({ url, person_id, expires_at }) => {
    print(url);
    note(`Signs ${person_id} in once, until ${instant(expires_at)}.`);
  },
});

export const person = group('person', 'the people who sign in to the panel', link);
