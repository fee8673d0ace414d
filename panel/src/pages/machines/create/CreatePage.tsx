import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Catalog, SshKey } from '../../../api/customer.ts';
import { read, readAll } from '../../../api/queries.ts';
import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Page } from '../../../ui/Page.tsx';
import { useCatalog } from '../names.ts';
import { machineTexts } from '../texts.ts';
import { Choices } from './Choices.tsx';
import classes from './create.module.css';
import { type Draft, keepDraft, keptDraft } from './draft.ts';
import { Purchase } from './Purchase.tsx';
import { createTexts } from './texts.ts';

/** Creates a machine, with all choices, the price and the balance on one page. */
export function CreatePage() {
  const t = useTexts(createTexts);
  const words = useTexts(machineTexts);
  const may = useMay('vm:create');
  const catalog = useCatalog();
  const keys = useQuery(readAll('listSshKeys', { query: {} }));
  return (
    <Page title={t.title}>
      {!may && <Notice>{words.viewer}</Notice>}
      {may && (
        <Loaded query={catalog} lines={10}>
          {(loaded) => (
            <Loaded query={keys} lines={10}>
              {(stored) => <Order catalog={loaded} keys={stored} />}
            </Loaded>
          )}
        </Loaded>
      )}
    </Page>
  );
}

function Order({ catalog, keys }: { catalog: Catalog; keys: SshKey[] }) {
  const prices = useQuery(read('getPrices'));
  const [draft, setDraft] = useState(() => firstDraft(catalog, keys));
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => keepDraft(draft), [draft]);
  // Changed choices are another purchase, so they get a new key. A retry of the same choices keeps its key.
  const set = (change: Partial<Draft>) => {
    setError(null);
    setDraft((now) => ({ ...now, ...change, purchase: crypto.randomUUID() }));
  };
  const offer = useMemo(() => ({ catalog, keys, prices: prices.data }), [catalog, keys, prices.data]);
  return (
    <div className={classes.layout}>
      <Choices draft={draft} onChange={set} offer={offer} error={error} />
      <Purchase draft={draft} offer={offer} onError={setError} />
    </div>
  );
}

/** Restores the stored choices that are still on sale; by default the cheapest plan of the first region. */
function firstDraft(catalog: Catalog, keys: SshKey[]): Draft {
  const kept = keptDraft();
  const among = <Item extends { code: string }>(list: readonly Item[], code: string | undefined) =>
    list.find((item) => item.code === code) ?? list[0];
  const sold = catalog.plans.filter(({ deprecated }) => !deprecated);
  const limits = catalog.custom_limits;
  const least = { vcpu: limits.vcpu.min, ram_mb: limits.ram_mb.min, disk_gb: limits.disk_gb.min };
  return {
    hostname: '',
    way: 'plan',
    billing: 'monthly',
    start: true,
    autoRenew: true,
    notes: '',
    userData: '',
    size: least,
    purchase: crypto.randomUUID(),
    ...kept,
    region:
      among(
        catalog.regions.filter(({ available }) => available),
        kept.region,
      )?.code ?? '',
    template:
      among(
        catalog.templates.filter(({ available, deprecated }) => available && !deprecated),
        kept.template,
      )?.code ?? '',
    plan: among(sold, kept.plan)?.code ?? '',
    keys: (kept.keys ?? keys.map(({ id }) => id)).filter((id) => keys.some((key) => key.id === id)),
  };
}
