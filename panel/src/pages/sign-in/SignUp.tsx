import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { currentLanguage } from '../../settings.ts';
import { useSite } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, textOf } from '../../ui/Form.tsx';
import { FrontCard } from './FrontCard.tsx';
import { texts } from './texts.ts';

/** The first step of a sign-up: an email address, to which a link is sent. */
export function SignUp() {
  const t = useTexts(texts);
  const { sign_up } = useSite();
  const [sentTo, setSentTo] = useState<string>();
  const signUp = useChange('signUp', { onDone: (_, { body }) => setSentTo(body.email) });
  const signIn = (
    <>
      {t.haveAccount} <Link to="/sign-in">{t.signIn}</Link>
    </>
  );
  if (sentTo) {
    return (
      <FrontCard title={t.lookIntoMail}>
        <p>{t.sentTo(sentTo)}</p>
      </FrontCard>
    );
  }
  if (sign_up !== 'open') {
    return (
      <FrontCard title={t.signUpTitle} below={signIn}>
        <p>{sign_up === 'closed' ? t.closed : t.byInvitation}</p>
      </FrontCard>
    );
  }
  return (
    <FrontCard title={t.signUpTitle} below={signIn}>
      <p>{t.signUpWhy}</p>
      <Form
        error={signUp.error}
        onSubmit={(values) =>
          signUp.mutate({ body: { email: textOf(values, 'email'), locale: currentLanguage() } })
        }
      >
        <Field label={t.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
        <Button look="main" type="submit" isPending={signUp.isPending}>
          {t.resetGo}
        </Button>
      </Form>
    </FrontCard>
  );
}
