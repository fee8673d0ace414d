import { type ReactNode, useState } from 'react';
import { isRefusal } from '../../api/errors.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, textOf } from '../../ui/Form.tsx';
import { FrontCard } from './FrontCard.tsx';
import { PasskeySignIn } from './PasskeySignIn.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import { texts } from './texts.ts';

interface Props {
  /** The page to open after the sign-in. */
  home: string;
  /** Shown at the end of the form; `below` is shown under the card. */
  children?: ReactNode;
  below?: ReactNode;
}

/** Sign-in with a password and, if set up, a second factor, or with a passkey. Customers and operators share it. */
export function PasswordSignIn({ home, children, below }: Props) {
  const t = useTexts(texts);
  const [isHalfway, setHalfway] = useState(false);
  // Reloads the whole page so that nothing of a previous session remains.
  const enter = () => location.assign(home);
  const signIn = useChange('signIn', {
    onDone: ({ next }) => (next === 'second_factor' ? setHalfway(true) : enter()),
  });
  if (isHalfway) return <SecondFactor onDone={enter} />;
  return (
    <FrontCard title={t.signIn} below={below}>
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
        {children}
      </Form>
      <PasskeySignIn onDone={enter} />
    </FrontCard>
  );
}
