import { useMemo } from 'react';
import type { Vm } from '../../../api/customer.ts';
import { useTexts } from '../../../texts.ts';
import { SearchField } from '../../../ui/SearchField.tsx';
import { Select } from '../../../ui/Select.tsx';
import { useCatalogNames } from '../names.ts';
import { wordOf } from '../state.tsx';
import { machineTexts } from '../texts.ts';
import type { Filter } from './filter.ts';
import classes from './list.module.css';
import { listTexts } from './texts.ts';

const ANY = 'any';

export function FilterBar({
  filter,
  onChange,
  machines,
}: {
  filter: Filter;
  onChange: (filter: Filter) => void;
  machines: readonly Vm[];
}) {
  const t = useTexts(listTexts);
  const words = useTexts(machineTexts);
  const names = useCatalogNames();
  const { statuses, regions } = useMemo(
    () => ({
      statuses: [...new Set(machines.map(({ status }) => status))],
      regions: [...new Set(machines.map(({ region }) => region))],
    }),
    [machines],
  );
  const options = (all: string, values: string[], nameOf: (value: string) => string) => [
    { value: ANY, label: all },
    ...values.map((value) => ({ value, label: nameOf(value) })),
  ];
  return (
    <div className={classes.filter} role="search">
      <SearchField label={t.search} value={filter.text} onChange={(text) => onChange({ ...filter, text })} />
      <Select
        label={t.state}
        isLabelHidden
        options={options(t.anyState, statuses, (status) => wordOf(words, status))}
        value={filter.status ?? ANY}
        onChange={(value) => onChange({ ...filter, status: value === ANY ? null : value })}
      />
      {regions.length > 1 && (
        <Select
          label={t.region}
          isLabelHidden
          options={options(t.anyRegion, regions, names.region)}
          value={filter.region ?? ANY}
          onChange={(value) => onChange({ ...filter, region: value === ANY ? null : value })}
        />
      )}
    </div>
  );
}
