import { Link } from '@tanstack/react-router';
import { ApiError } from '../../api/errors.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, textOf } from '../../ui/Form.tsx';
import { FrontCard } from './FrontCard.tsx';
import { useFragment } from './fragment.ts';
import { LinkOver } from './LinkOver.tsx';
import { texts } from './texts.ts';

/** Behind the link of a reset. */
export function NewPassword() {
  const t = useTexts(texts);
  const token = useFragment();
  const reset = useChange('resetPasswordByMail');
  const { error } = reset;
  if (error instanceof ApiError && error.code === 'link_invalid') return <LinkOver error={error} />;
  if (reset.isSuccess) {
    return (
      <FrontCard title={t.resetDone}>
        <p>{t.resetDoneWhy}</p>
        <Link to="/sign-in" className={buttonClass('main')}>
          {t.signIn}
        </Link>
      </FrontCard>
    );
  }
  return (
    <FrontCard title={t.resetTitle}>
      <Form
        error={error}
        onSubmit={(values) =>
          reset.mutate({ body: { token: token || '-', password: textOf(values, 'password') } })
        }
      >
        <Field
          label={t.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={t.passwordHint}
          isRequired
          autoFocus
        />
        <Button look="main" type="submit" isPending={reset.isPending}>
          {t.save}
        </Button>
      </Form>
    </FrontCard>
  );
}
