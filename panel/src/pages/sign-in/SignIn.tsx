import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isRefusal } from '../../api/errors.ts';
import { useChange } from '../../api/queries.ts';
import { useSite } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, textOf } from '../../ui/Form.tsx';
import { FrontCard } from './FrontCard.tsx';
import { PasskeySignIn } from './PasskeySignIn.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import { texts } from './texts.ts';

const route = getRouteApi('/front/sign-in');

/** Password or passkey, and the second factor where there is one. */
export function SignIn() {
  const t = useTexts(texts);
  const { next = '/' } = route.useSearch();
  const [isHalfway, setHalfway] = useState(false);
  // The whole page is loaded again: nothing of a former session may be left in it.
  const enter = () => location.assign(`/panel${next}`);
  const arrive = ({ next }: { next: 'signed_in' | 'second_factor' }) =>
    next === 'second_factor' ? setHalfway(true) : enter();
  const signIn = useChange('signIn', { onDone: arrive });
  if (isHalfway) return <SecondFactor onDone={enter} />;
  return (
    <FrontCard title={t.signIn} below={<SignUpHint />}>
      <Form
        error={signIn.error}
        explain={(error) => isRefusal(error, 'sign_in_failed') && t.wrong}
        onSubmit={(values) =>
          signIn.mutate({ body: { email: textOf(values, 'email'), password: textOf(values, 'password') } })
        }
      >
        <Field
          label={t.email}
          name="email"
          type="email"
          autoComplete="username webauthn"
          isRequired
          autoFocus
        />
        <Field
          label={t.password}
          name="password"
          type="password"
          autoComplete="current-password"
          isRequired
        />
        <Button look="main" type="submit" isPending={signIn.isPending}>
          {t.signIn}
        </Button>
        <Link to="/password-reset">{t.forgottenLong}</Link>
      </Form>
      <PasskeySignIn onDone={enter} />
    </FrontCard>
  );
}

function SignUpHint() {
  const t = useTexts(texts);
  const { sign_up } = useSite();
  if (sign_up !== 'open') return null;
  return (
    <>
      {t.noAccount} <Link to="/sign-up">{t.signUp}</Link>
    </>
  );
}
