import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, readPages, useChange } from '../../api/queries.ts';
import { formatBytes } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Problem } from '../../ui/Notice.tsx';
import { Foot } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { Ago, Mono } from '../../ui/Values.tsx';
import { texts } from '../texts.ts';

/** The disk images of guests. New ones are imported on the server, where their files are. */
export function Images() {
  const t = useTexts(texts);
  const query = useQuery(read('operator.listImages'));
  const [ending, setEnding] = useState<string>();
  const remove = useChange('operator.removeImage', {
    changes: ['operator.listImages'],
    onDone: () => setEnding(undefined),
  });
  const collect = useChange('operator.collectImages', { onDone: () => announce(t.done) });
  return (
    <>
      {collect.error && <Problem error={collect.error} />}
      <Loaded query={query} lines={2}>
        {(images) => (
          <>
            <Table
              label={t.images}
              rows={images}
              keyOf={({ name }) => name}
              empty={<Foot>{t.none}</Foot>}
              columns={[
                { id: 'name', title: t.name, narrow: 'title', cell: ({ name }) => name },
                {
                  id: 'size',
                  title: t.size,
                  align: 'end',
                  cell: ({ virtual_bytes }) => formatBytes(virtual_bytes),
                },
                { id: 'user', title: t.user, cell: ({ user }) => user },
                { id: 'hash', title: 'SHA-256', cell: ({ sha256 }) => <Mono>{sha256.slice(0, 12)}…</Mono> },
                {
                  id: 'act',
                  title: '',
                  align: 'end',
                  cell: ({ name }) => (
                    <Button look="quiet" onPress={() => setEnding(name)}>
                      {t.remove}
                    </Button>
                  ),
                },
              ]}
            />
            {images.length > 0 && (
              <div>
                <Button isPending={collect.isPending} onPress={() => collect.mutate({})}>
                  {t.collect}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
      <ConfirmDialog
        title={t.removeImage(ending ?? '')}
        isOpen={ending !== undefined}
        onClose={() => setEnding(undefined)}
        confirm={t.remove}
        onConfirm={() => ending && remove.mutate({ params: { name: ending } })}
        isPending={remove.isPending}
        error={remove.error}
      >
        <p>{t.removeImageWhy}</p>
      </ConfirmDialog>
    </>
  );
}

/** Guests that belong to no customer's machine. */
export function Orphans() {
  const t = useTexts(texts);
  const query = useInfiniteQuery(readPages('operator.listOrphans', { query: {} }));
  const [ending, setEnding] = useState<string>();
  const remove = useChange('operator.removeOrphan', {
    changes: ['operator.listOrphans'],
    onDone: () => setEnding(undefined),
  });
  return (
    <>
      <Loaded query={query} lines={2}>
        {(orphans) => (
          <Table
            label={t.orphans}
            rows={orphans}
            keyOf={({ id }) => id}
            empty={<Foot>{t.none}</Foot>}
            columns={[
              { id: 'id', title: t.id, narrow: 'title', cell: ({ id }) => <Mono>{id}</Mono> },
              { id: 'ip', title: t.address, cell: ({ addresses }) => <Mono>{addresses.join(', ')}</Mono> },
              { id: 'since', title: t.since, cell: ({ found_at }) => <Ago at={found_at} /> },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: ({ id }) => (
                  <Button look="quiet" onPress={() => setEnding(id)}>
                    {t.remove}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
      <ConfirmDialog
        title={t.removeOrphan}
        isOpen={ending !== undefined}
        onClose={() => setEnding(undefined)}
        confirm={t.remove}
        onConfirm={() => ending && remove.mutate({ params: { id: ending } })}
        isPending={remove.isPending}
        error={remove.error}
      >
        <p>{t.removeOrphanWhy}</p>
      </ConfirmDialog>
    </>
  );
}
