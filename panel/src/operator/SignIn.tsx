import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isRefusal } from '../api/errors.ts';
import { useChange } from '../api/queries.ts';
import { FrontCard } from '../pages/sign-in/FrontCard.tsx';
import { PasskeySignIn } from '../pages/sign-in/PasskeySignIn.tsx';
import { SecondFactor } from '../pages/sign-in/SecondFactor.tsx';
import { texts as signInTexts } from '../pages/sign-in/texts.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { Form, textOf } from '../ui/Form.tsx';
import { texts } from './texts.ts';

/** Password and code, or a passkey: there is no way in with one factor. */
export function SignIn() {
  const t = useTexts(signInTexts);
  const own = useTexts(texts);
  const { next = '/' } = useSearch({ strict: false }) as { next?: string };
  const [isHalfway, setHalfway] = useState(false);
  const enter = () => location.assign(`/operator${next}`);
  const signIn = useChange('signIn', {
    onDone: (done) => (done.next === 'second_factor' ? setHalfway(true) : enter()),
  });
  if (isHalfway) return <SecondFactor onDone={enter} />;
  return (
    <FrontCard title={t.signIn} below={own.lockedOut}>
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
      </Form>
      <PasskeySignIn onDone={enter} />
    </FrontCard>
  );
}
