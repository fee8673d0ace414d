import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Data } from '../../api/operations.ts';
import type { Scope } from '../../api/panel.ts';
import { read, useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Choices } from '../../ui/Choices.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, textOf } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Select } from '../../ui/Select.tsx';
import { CodeBlock } from '../../ui/Values.tsx';
import classes from './NewKey.module.css';
import { texts } from './texts.ts';

const FORM = 'new-key';
const DAY_MS = 86_400_000;
const LIFETIMES = ['30', '90', '365', 'never'] as const;

/** Creates a key and shows its secret once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const scopes = useQuery(read('listScopes'));
  const [secret, setSecret] = useState<string>();
  const create = useChange('createKey', { changes: ['listKeys'], onDone: ({ secret }) => setSecret(secret) });
  if (secret) return <Secret secret={secret} onClose={onClose} />;
  return (
    <Dialog
      title={t.create}
      isOpen
      onClose={onClose}
      wide
      footer={
        <>
          <Button onPress={onClose}>{t.cancel}</Button>
          <Button look="main" type="submit" form={FORM} isPending={create.isPending}>
            {t.create}
          </Button>
        </>
      }
    >
      <Loaded query={scopes}>
        {(offer) => (
          <NewKeyForm offer={offer} error={create.error} onSubmit={(body) => create.mutate({ body })} />
        )}
      </Loaded>
    </Dialog>
  );
}

interface Wish {
  label: string;
  scopes: Scope[];
  allowed_ips: string[];
  expires_at: string | null;
}

function NewKeyForm({
  offer: { scopes, presets },
  error,
  onSubmit,
}: {
  offer: Data<'listScopes'>;
  error: Error | null;
  onSubmit: (wish: Wish) => void;
}) {
  const t = useTexts(texts);
  const named = t as Record<string, unknown>;
  const [preset, setPreset] = useState<string>(presets[0]?.id ?? 'custom');
  const [chosen, setChosen] = useState<Scope[]>([]);
  const [lifetime, setLifetime] = useState<(typeof LIFETIMES)[number]>('90');
  const wished = preset === 'custom' ? chosen : (presets.find(({ id }) => id === preset)?.scopes ?? []);
  const submit = (values: FormData) =>
    onSubmit({
      label: textOf(values, 'label').trim(),
      scopes: wished,
      allowed_ips: textOf(values, 'allowed_ips')
        .split(/[\s,]+/)
        .filter(Boolean),
      expires_at:
        lifetime === 'never' ? null : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString(),
    });
  return (
    <Form id={FORM} error={error} onSubmit={submit}>
      <Field
        label={t.label}
        name="label"
        hint={t.labelHint}
        isRequired
        autoFocus
        maxLength={64}
        autoComplete="off"
      />
      <Choices
        label={t.preset}
        name="scopes"
        value={preset}
        onChange={setPreset}
        choices={[...presets.map(({ id }) => id), 'custom'].map((id) => ({
          value: id,
          label: String(named[`preset_${id}`] ?? id),
          hint: named[`preset_${id}_hint`] as string | undefined,
        }))}
      />
      {preset === 'custom' && (
        <div className={classes.scopes}>
          {scopes.map(({ scope, description, grantable }) => (
            <Checkbox
              key={scope}
              isSelected={chosen.includes(scope)}
              isDisabled={!grantable}
              onChange={(isOn) =>
                setChosen(isOn ? [...chosen, scope] : chosen.filter((each) => each !== scope))
              }
              hint={grantable ? description : t.notYours}
            >
              <code>{scope}</code>
            </Checkbox>
          ))}
        </div>
      )}
      <Field label={t.ips} name="allowed_ips" hint={t.ipsHint} rows={2} mono />
      <Select
        label={t.expires}
        name="expires_at"
        value={lifetime}
        onChange={setLifetime}
        hint={t.expiresHint}
        options={LIFETIMES.map((value) => ({ value, label: t[`expires_${value}`] }))}
      />
    </Form>
  );
}

/** The secret, with a command to try it. It cannot be shown again, so only the button closes this dialog. */
function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = useTexts(texts);
  const curl = `curl -H "Authorization: Bearer ${secret}" ${location.origin}/v1/vm`;
  return (
    <Dialog
      title={t.made}
      isOpen
      isKept
      wide
      onClose={onClose}
      footer={
        <Button look="main" onPress={onClose}>
          {t.stored}
        </Button>
      }
    >
      <Notice kind="warn">{t.madeWhy}</Notice>
      <CodeBlock what={t.secret}>{secret}</CodeBlock>
      <h3>{t.tryIt}</h3>
      <CodeBlock what={t.curl}>{curl}</CodeBlock>
    </Dialog>
  );
}
