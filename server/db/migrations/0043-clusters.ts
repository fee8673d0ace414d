import type { Migration } from '../migrate.ts';

/** Clusters beside that of the settings, one a region. What they trust the service by is not here: it is in its settings. */
export const clusters: Migration = {
  name: '0043-clusters',
  up: `
create table clusters (
  -- The engine's name and the cluster's own id: ids of its hosts begin with it and a colon.
  id id_text primary key,
  region text not null,
  endpoints text[] not null,
  -- Its own, PEM; null where those are believed that the system believes.
  certificate text,
  project text not null,
  network text not null,
  pool text not null,
  service_networks text[] not null,
  cpu_overcommit int not null check (cpu_overcommit > 0),
  added_at timestamptz not null,
  -- Its hosts stay recorded, because VMs that were deleted name them.
  removed_at timestamptz
);
create unique index clusters_by_region on clusters (region) where removed_at is null;
`,
  down: `
drop table clusters;
`,
};
