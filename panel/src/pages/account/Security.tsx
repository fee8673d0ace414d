import { useQuery } from '@tanstack/react-query';
import { read, useChange } from '../../api/queries.ts';
import { useSession } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, FormActions, textOf } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Card, Columns, Section, Stack } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { Ago, DateOf, Mono } from '../../ui/Values.tsx';
import { AuthenticatorApp } from './AuthenticatorApp.tsx';
import { Passkeys } from './Passkeys.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { texts } from './texts.ts';

export function Security() {
  const t = useTexts(texts);
  const { factors } = useSession();
  return (
    <Stack>
      <Columns>
        <Password />
        <Stack>
          <AuthenticatorApp />
          {factors.totp && <RecoveryCodes />}
        </Stack>
      </Columns>
      <Section title={t.passkeys} description={t.passkeysWhy}>
        <Passkeys />
      </Section>
      <Section title={t.sessions} description={t.sessionsWhy}>
        <Sessions />
      </Section>
    </Stack>
  );
}

function Password() {
  const t = useTexts(texts);
  const { person } = useSession();
  const change = useChange('changePassword', {
    changes: ['getSession', 'listSessions'],
    onDone: () => announce(t.passwordChanged),
  });
  return (
    <Card title={t.password}>
      <p>{t.passwordWhy}</p>
      <Form
        key={change.submittedAt}
        error={change.error}
        onSubmit={(values) => change.mutate({ body: { password: textOf(values, 'password') } })}
      >
        <input type="email" name="email" autoComplete="username" value={person.email} readOnly hidden />
        <Field
          label={t.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={t.passwordHint}
          isRequired
        />
        <FormActions>
          <Button type="submit" isPending={change.isPending}>
            {t.changePassword}
          </Button>
        </FormActions>
      </Form>
    </Card>
  );
}

function Sessions() {
  const t = useTexts(texts);
  const query = useQuery(read('listSessions'));
  const revoke = useChange('revokeSession', {
    changes: ['listSessions'],
    onDone: () => announce(t.signedOut),
  });
  return (
    <Loaded query={query}>
      {(sessions) => (
        <Table
          label={t.sessions}
          rows={sessions}
          keyOf={({ id }) => id}
          columns={[
            {
              id: 'device',
              title: t.device,
              narrow: 'title',
              cell: ({ device, user_agent, current }) => (
                <span title={user_agent}>
                  {device} {current && <Badge tone="ok">{t.thisOne}</Badge>}
                </span>
              ),
            },
            { id: 'ip', title: t.address, cell: ({ ip }) => <Mono>{ip}</Mono> },
            { id: 'since', title: t.since, cell: ({ created_at }) => <DateOf at={created_at} /> },
            { id: 'active', title: t.active, cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
            {
              id: 'act',
              title: '',
              align: 'end',
              cell: ({ id, current }) =>
                !current && (
                  <Button look="quiet" onPress={() => revoke.mutate({ params: { id } })}>
                    {t.signOutThere}
                  </Button>
                ),
            },
          ]}
        />
      )}
    </Loaded>
  );
}
