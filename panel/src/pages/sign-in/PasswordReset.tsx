import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, textOf } from '../../ui/Form.tsx';
import { FrontCard } from './FrontCard.tsx';
import { texts } from './texts.ts';

/** Requests a password reset link. The reply does not reveal whether the account exists. */
export function PasswordReset() {
  const t = useTexts(texts);
  const [sentTo, setSentTo] = useState<string>();
  const ask = useChange('requestPasswordReset', { onDone: (_, { body }) => setSentTo(body.email) });
  if (sentTo) {
    return (
      <FrontCard title={t.lookIntoMail}>
        <p>{t.resetSent(sentTo)}</p>
      </FrontCard>
    );
  }
  return (
    <FrontCard title={t.resetTitle}>
      <p>{t.resetWhy}</p>
      <Form error={ask.error} onSubmit={(values) => ask.mutate({ body: { email: textOf(values, 'email') } })}>
        <Field label={t.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
        <Button look="main" type="submit" isPending={ask.isPending}>
          {t.resetGo}
        </Button>
      </Form>
    </FrontCard>
  );
}
