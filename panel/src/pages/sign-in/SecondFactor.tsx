import { useState } from 'react';
import { isRefusal } from '../../api/errors.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, textOf } from '../../ui/Form.tsx';
import { FrontCard } from './FrontCard.tsx';
import { texts } from './texts.ts';

/** The step after the password: a code from the authenticator app or a recovery code. */
export function SecondFactor({ onDone }: { onDone: () => void }) {
  const t = useTexts(texts);
  const [isRecovery, setRecovery] = useState(false);
  const byCode = useChange('signInSecondFactor', { onDone });
  const byRecovery = useChange('signInWithRecoveryCode', { onDone });
  const change = isRecovery ? byRecovery : byCode;
  return (
    <FrontCard title={t.second}>
      <p>{isRecovery ? t.recoveryWhy : t.secondWhy}</p>
      <Form
        key={String(isRecovery)}
        error={change.error}
        explain={(error) =>
          isRefusal(error, 'sign_in_failed') && (isRecovery ? t.wrongRecovery : t.wrongCode)
        }
        onSubmit={(values) => change.mutate({ body: { code: textOf(values, 'code').replace(/\s/g, '') } })}
      >
        <Field
          label={isRecovery ? t.recoveryCode : t.code}
          name="code"
          mono
          isRequired
          autoFocus
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          inputMode={isRecovery ? 'text' : 'numeric'}
        />
        <Button look="main" type="submit" isPending={change.isPending}>
          {t.go}
        </Button>
        <Button look="quiet" onPress={() => setRecovery(!isRecovery)}>
          {isRecovery ? t.useApp : t.useRecovery}
        </Button>
      </Form>
    </FrontCard>
  );
}
