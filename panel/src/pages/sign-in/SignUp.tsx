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

/** A new account; by an invitation where the service wants one. */
export function SignUp({ invitation }: { invitation?: string }) {
  const t = useTexts(texts);
  const { sign_up, terms_url } = useSite();
  const [sentTo, setSentTo] = useState<string>();
  const signUp = useChange('signUp', {
    onDone: ({ next }, { body }) => {
      if (next === 'signed_in') location.assign('/panel/');
      else setSentTo(body.email);
    },
  });
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
  if (sign_up !== 'open' && !invitation) {
    return (
      <FrontCard title={t.signUpTitle} below={signIn}>
        <p>{sign_up === 'closed' ? t.closed : t.byInvitation}</p>
      </FrontCard>
    );
  }
  return (
    <FrontCard title={t.signUpTitle} below={signIn}>
      <Form
        error={signUp.error}
        onSubmit={(values) => {
          const name = textOf(values, 'name').trim();
          signUp.mutate({
            body: {
              email: textOf(values, 'email'),
              password: textOf(values, 'password'),
              locale: currentLanguage(),
              ...(name && { name }),
              ...(invitation && { invitation }),
            },
          });
        }}
      >
        <Field label={t.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
        <Field label={t.name} name="name" autoComplete="name" hint={t.nameHint} />
        <Field
          label={t.password}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={t.passwordHint}
          isRequired
        />
        {terms_url && (
          <p>
            {t.agree} <a href={terms_url}>{t.terms}</a>
          </p>
        )}
        <Button look="main" type="submit" isPending={signUp.isPending}>
          {t.signUpGo}
        </Button>
      </Form>
    </FrontCard>
  );
}
