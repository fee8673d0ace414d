import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { confirmed } from '../../api/confirmation.ts';
import { ApiError } from '../../api/errors.ts';
import type { Passkey } from '../../api/panel.ts';
import { read, useChange } from '../../api/queries.ts';
import { NoPasskeys, obstacleHere } from '../../shell/NoPasskeys.tsx';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, FormActions, textOf } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Foot } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Ago, DateOf } from '../../ui/Values.tsx';
import { texts } from './texts.ts';

export function Passkeys() {
  const t = useTexts(texts);
  const query = useQuery(read('listPasskeys'));
  const obstacle = obstacleHere();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  const remove = useChange('removePasskey', {
    changes: ['listPasskeys', 'getSession'],
    onDone: () => setRemoved(undefined),
  });
  return (
    <>
      <Loaded query={query} lines={2}>
        {(passkeys) => (
          <Table
            label={t.passkeys}
            rows={passkeys}
            keyOf={({ id }) => id}
            empty={<Foot>{t.noPasskeys}</Foot>}
            columns={[
              { id: 'name', title: t.passkeyName, narrow: 'title', cell: ({ name }) => name },
              { id: 'added', title: t.added, cell: ({ created_at }) => <DateOf at={created_at} /> },
              {
                id: 'used',
                title: t.lastUsed,
                cell: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : t.never),
              },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: (passkey) => (
                  <Button look="quiet" onPress={() => setRemoved(passkey)}>
                    {t.remove}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {obstacle ? (
        <NoPasskeys because={obstacle} />
      ) : (
        <div>
          <Button icon="plus" onPress={() => setAdding(true)}>
            {t.addPasskey}
          </Button>
        </div>
      )}
      {isAdding && <AddPasskey onClose={() => setAdding(false)} />}
      <ConfirmDialog
        title={t.removePasskey(removed?.name ?? '')}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        confirm={t.remove}
        onConfirm={() => removed && remove.mutate({ params: { id: removed.id } })}
        isPending={remove.isPending}
        error={remove.error}
      >
        <p>{t.removePasskeyWhy}</p>
      </ConfirmDialog>
    </>
  );
}

function AddPasskey({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const client = useQueryClient();
  const [state, setState] = useState<{ isPending: boolean; error?: Error }>({ isPending: false });
  const add = async (values: FormData) => {
    setState({ isPending: true });
    try {
      await register(textOf(values, 'name').trim());
      await Promise.all(
        (['listPasskeys', 'getSession'] as const).map((name) =>
          client.invalidateQueries({ queryKey: [name] }),
        ),
      );
      onClose();
    } catch (cause) {
      const error = cause instanceof ApiError ? cause : new ApiError('passkey', t.passkeyFailed, { cause });
      setState({ isPending: false, error });
    }
  };
  return (
    <Dialog title={t.addPasskey} isOpen onClose={onClose}>
      <Form error={state.error} onSubmit={add}>
        <Field
          label={t.passkeyName}
          name="name"
          hint={t.passkeyNameHint}
          isRequired
          autoFocus
          autoComplete="off"
        />
        <FormActions>
          <Button look="main" type="submit" isPending={state.isPending}>
            {t.addPasskey}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

/** Has the browser create a key pair; the service stores its public key. */
async function register(name: string): Promise<void> {
  const [{ startRegistration }, { options }] = await Promise.all([
    import('@simplewebauthn/browser'),
    confirmed(() => call('beginPasskey')),
  ]);
  const response = await startRegistration({
    optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'],
  });
  await confirmed(() => call('addPasskey', { body: { name, response: { ...response } } }));
}
