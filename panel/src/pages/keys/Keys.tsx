import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../../api/panel.ts';
import { readAll, useChange } from '../../api/queries.ts';
import { formatDate, useLocale } from '../../format.ts';
import { useSession } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { State } from '../../ui/Badge.tsx';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Empty, Page } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Ago, Mono } from '../../ui/Values.tsx';
import { NewKey } from './NewKey.tsx';
import { texts } from './texts.ts';

export function Keys() {
  const t = useTexts(texts);
  const query = useQuery(readAll('listKeys', { query: {} }));
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  const columns = useColumns(setRevoked);
  const create = (
    <Button look="main" icon="plus" onPress={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} aside={query.data && query.data.length > 0 && query.data.length} actions={create}>
      <p style={{ maxWidth: '76ch' }}>{t.why}</p>
      <Loaded query={query}>
        {(keys) => (
          <Table
            label={t.title}
            rows={keys}
            keyOf={({ id }) => id}
            columns={columns}
            empty={
              <Empty
                title={t.none}
                action={
                  <a href="/docs" target="_blank" rel="noreferrer" className={buttonClass()}>
                    {t.reference}
                  </a>
                }
              >
                {t.noneWhy}
              </Empty>
            }
          />
        )}
      </Loaded>
      {isCreating && <NewKey onClose={() => setCreating(false)} />}
      <Revoke apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </Page>
  );
}

function Revoke({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const t = useTexts(texts);
  const revoke = useChange('revokeKey', {
    changes: ['listKeys'],
    onDone: () => {
      announce(t.revokedNow);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={t.revokeTitle(apiKey?.label ?? '')}
      isOpen={apiKey !== undefined}
      onClose={onClose}
      confirm={t.revokeKey}
      onConfirm={() => apiKey && revoke.mutate({ params: { id: apiKey.id } })}
      isPending={revoke.isPending}
      error={revoke.error}
    >
      <p>{t.revokeWhy}</p>
    </ConfirmDialog>
  );
}

function useColumns(onRevoke: (key: ApiKey) => void): Column<ApiKey>[] {
  const t = useTexts(texts);
  const locale = useLocale();
  return [
    { id: 'label', title: t.label, narrow: 'title', cell: ({ label }) => label },
    {
      id: 'state',
      title: t.state,
      narrow: 'aside',
      cell: ({ status, expires_at }) => {
        return (
          <State tone={status === 'active' ? 'ok' : 'faint'} shape={status === 'active' ? 'dot' : 'square'}>
            {t[status]}
            {status === 'active' && expires_at && `, ${t.endsOn(formatDate(expires_at, locale))}`}
          </State>
        );
      },
    },
    { id: 'key', title: t.key, cell: ({ prefix }) => <Mono>{prefix}</Mono> },
    { id: 'scopes', title: t.scopes, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    {
      id: 'ips',
      title: t.from,
      cell: ({ allowed_ips }) =>
        allowed_ips.length > 0 ? <Mono>{allowed_ips.join(', ')}</Mono> : t.anywhere,
    },
    {
      id: 'used',
      title: t.lastUsed,
      cell: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : t.never),
    },
    {
      id: 'act',
      title: '',
      align: 'end',
      cell: (key) =>
        key.status === 'active' && (
          <Button look="quiet" onPress={() => onRevoke(key)}>
            {t.revoke}
          </Button>
        ),
    },
  ];
}

/** Scopes grouped by resource, such as "vm: read, write"; one word if the key has all of them. */
function Scopes({ scopes }: { scopes: string[] }) {
  const t = useTexts(texts);
  const { scopes: held } = useSession();
  if (held.every((scope) => scopes.includes(scope))) return t.all;
  const byTopic = Map.groupBy(scopes, (scope) => scope.split(':')[0]!);
  const text = [...byTopic].map(
    ([topic, all]) => `${topic}: ${all.map((scope) => scope.split(':')[1]).join(', ')}`,
  );
  return <span title={scopes.join(' ')}>{text.join(' · ')}</span>;
}
