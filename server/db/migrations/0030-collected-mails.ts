import type { Migration } from '../migrate.ts';

/** What is told of several VMs at the same time is one mail. */
export const collectedMails: Migration = {
  name: '0030-collected-mails',
  up: `
-- More can be added to it under this name until it is first sent.
alter table mails add column collect_key text;
create unique index mails_collecting on mails (collect_key) where status = 'pending' and attempts = 0;
`,
  down: `
drop index mails_collecting;
alter table mails drop column collect_key;
`,
};
