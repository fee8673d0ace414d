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
  /** Where one comes to who has signed in. */
  home: string;
  /** At the end of the form, and below the card. */
  children?: ReactNode;
  below?: ReactNode;
}

/** Password or passkey, and the second factor where there is one; the same for customers and operators. */
export function PasswordSignIn({ home, children, below }: Props) {
  const t = useTexts(texts);
  const [isHalfway, setHalfway] = useState(false);
  // The whole page is loaded again: nothing of a former session may be left in it.
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
