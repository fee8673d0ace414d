import { useQuery } from '@tanstack/react-query';
import { read } from '../api/queries.ts';
import { Security } from '../pages/account/Security.tsx';
import { useTexts } from '../texts.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { Foot, Page, Section, Stack } from '../ui/Page.tsx';
import { Table } from '../ui/Table.tsx';
import { Ago, DateOf } from '../ui/Values.tsx';
import { texts } from './texts.ts';

export function SecurityPage() {
  const t = useTexts(texts);
  const query = useQuery(read('operator.listOperators'));
  return (
    <Page title={t.security}>
      <Stack>
        <Security />
        <Section title={t.operators} description={t.operatorsWhy}>
          <Loaded query={query}>
            {(operators) => (
              <Table
                label={t.operators}
                rows={operators}
                keyOf={({ id }) => id}
                empty={<Foot>{t.none}</Foot>}
                columns={[
                  { id: 'email', title: t.email, narrow: 'title', cell: ({ email }) => email },
                  {
                    id: 'factors',
                    title: t.factors,
                    cell: ({ totp, passkeys }) =>
                      [totp && t.app, passkeys > 0 && t.passkeys(passkeys)].filter(Boolean).join(', ') ||
                      t.none,
                  },
                  {
                    id: 'last',
                    title: t.lastSignIn,
                    cell: ({ last_sign_in_at: at }) => (at ? <Ago at={at} /> : t.never),
                  },
                  { id: 'since', title: t.since, cell: ({ created_at }) => <DateOf at={created_at} /> },
                ]}
              />
            )}
          </Loaded>
        </Section>
      </Stack>
    </Page>
  );
}
