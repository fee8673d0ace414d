import { Link } from '@tanstack/react-router';
import { isRefusal } from '../../api/errors.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, textOf } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { FrontCard } from './FrontCard.tsx';
import { LinkOver } from './LinkOver.tsx';
import { SignedInElsewhere } from './SignedInElsewhere.tsx';
import { texts } from './texts.ts';
import { useLink } from './use-link.ts';

/** Opened from a password reset link. Sets a new password and tells which sessions end with the old one. */
export function NewPassword() {
  const t = useTexts(texts);
  const { token, link } = useLink();
  const reset = useChange('resetPasswordByMail');
  if (reset.isSuccess) {
    const { ended_sessions, revoked_keys } = reset.data;
    return (
      <FrontCard title={t.resetDone}>
        <p>{t.endedSessions(ended_sessions)}</p>
        <p>{t.revokedKeys(revoked_keys)}</p>
        <p>{t.factorsStay}</p>
        <Link to="/sign-in" className={buttonClass('main')}>
          {t.signIn}
        </Link>
      </FrontCard>
    );
  }
  const refused = [link.error, reset.error].find((error) => isRefusal(error, 'link_invalid'));
  if (refused) return <LinkOver error={refused} again="/password-reset" />;
  if (!link.data) {
    return (
      <FrontCard title={t.resetTitle}>
        <Loaded query={link} lines={3}>
          {() => null}
        </Loaded>
      </FrontCard>
    );
  }
  const { email } = link.data;
  return (
    <FrontCard title={t.resetTitle}>
      <p>{t.resetFor(email)}</p>
      <SignedInElsewhere link={link.data} />
      <Form
        error={reset.error}
        onSubmit={(values) =>
          reset.mutate({
            body: {
              token,
              password: textOf(values, 'password'),
              revoke_keys: values.get('revoke_keys') !== null,
            },
          })
        }
      >
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <Field
          label={t.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={t.passwordHint}
          isRequired
          autoFocus
        />
        <Checkbox name="revoke_keys" hint={t.revokeKeysHint}>
          {t.revokeKeys}
        </Checkbox>
        <Button look="main" type="submit" isPending={reset.isPending}>
          {t.save}
        </Button>
      </Form>
    </FrontCard>
  );
}
