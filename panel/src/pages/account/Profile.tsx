import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import {
  LANGUAGES,
  type Language,
  setLanguage,
  setTheme,
  type Theme,
  useLanguage,
  useTheme,
} from '../../settings.ts';
import { useSession } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, FormActions, textOf } from '../../ui/Form.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Card, Columns, Stack } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { announce } from '../../ui/Status.tsx';
import { Mono } from '../../ui/Values.tsx';
import { texts } from './texts.ts';

export function Profile() {
  return (
    <Columns>
      <Stack>
        <Who />
      </Stack>
      <Stack>
        <Address />
        <Look />
      </Stack>
    </Columns>
  );
}

function Who() {
  const t = useTexts(texts);
  const { person } = useSession();
  const [locale, setLocale] = useState<Language>(person.locale);
  const update = useChange('updateProfile', {
    changes: ['getSession'],
    onDone: ({ locale }) => {
      setLanguage(locale);
      announce(t.saved);
    },
  });
  return (
    <Card title={t.profile}>
      <Form
        error={update.error}
        onSubmit={(values) => update.mutate({ body: { name: textOf(values, 'name').trim(), locale } })}
      >
        <Field
          label={t.name}
          name="name"
          defaultValue={person.name ?? ''}
          hint={t.nameHint}
          autoComplete="name"
        />
        <Select
          label={t.language}
          name="locale"
          value={locale}
          onChange={setLocale}
          hint={t.languageHint}
          options={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
        />
        <FormActions>
          <Button look="main" type="submit" isPending={update.isPending}>
            {t.save}
          </Button>
        </FormActions>
      </Form>
    </Card>
  );
}

function Address() {
  const t = useTexts(texts);
  const { person } = useSession();
  const [sentTo, setSentTo] = useState<string>();
  const change = useChange('changeEmail', { onDone: (_, { body }) => setSentTo(body.email) });
  return (
    <Card title={t.email}>
      <p>
        <Mono>{person.email}</Mono>
      </p>
      <p>{t.emailWhy}</p>
      {sentTo && <Notice kind="ok">{t.emailSent(sentTo)}</Notice>}
      <Form
        error={change.error}
        onSubmit={(values) => change.mutate({ body: { email: textOf(values, 'email') } })}
      >
        <Field label={t.newEmail} name="email" type="email" autoComplete="email" isRequired />
        <FormActions>
          <Button type="submit" isPending={change.isPending}>
            {t.changeEmail}
          </Button>
        </FormActions>
      </Form>
    </Card>
  );
}

function Look() {
  const t = useTexts(texts);
  const theme = useTheme();
  useLanguage();
  const themes: Theme[] = ['system', 'light', 'dark'];
  return (
    <Card title={t.theme}>
      <Select
        label={t.theme}
        isLabelHidden
        value={theme}
        onChange={setTheme}
        options={themes.map((value) => ({ value, label: t[value] }))}
      />
    </Card>
  );
}
