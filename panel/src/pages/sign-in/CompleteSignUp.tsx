import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isRefusal } from '../../api/errors.ts';
import { useChange } from '../../api/queries.ts';
import { currentLanguage } from '../../settings.ts';
import { useSite } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, textOf } from '../../ui/Form.tsx';
import { FrontCard } from './FrontCard.tsx';
import { LinkOver } from './LinkOver.tsx';
import { texts } from './texts.ts';

interface Props {
  /** The token of a mailed link, from a sign-up or an invitation. */
  token: string;
  email: string;
  children?: ReactNode;
}

/** The last step of a sign-up. The reader of the mail chooses a password, and the account is created. */
export function CompleteSignUp({ token, email, children }: Props) {
  const t = useTexts(texts);
  const { terms_url } = useSite();
  // Reloads the whole page so that nothing of a previous session remains.
  const complete = useChange('completeSignUp', { onDone: () => location.assign('/panel/') });
  const { error } = complete;
  if (isRefusal(error, 'link_invalid')) return <LinkOver error={error} />;
  const signIn = (
    <>
      {t.haveAccount} <Link to="/sign-in">{t.signIn}</Link>
    </>
  );
  return (
    <FrontCard title={t.signUpTitle} below={signIn}>
      <p>{t.completeWhy(email)}</p>
      {children}
      <Form
        error={error}
        onSubmit={(values) => {
          const name = textOf(values, 'name').trim();
          const password = textOf(values, 'password');
          complete.mutate({ body: { token, password, locale: currentLanguage(), ...(name && { name }) } });
        }}
      >
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <Field label={t.name} name="name" autoComplete="name" hint={t.nameHint} autoFocus />
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
        <Button look="main" type="submit" isPending={complete.isPending}>
          {t.createAccount}
        </Button>
      </Form>
    </FrontCard>
  );
}
