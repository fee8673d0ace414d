import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HostWatch } from '../../../server/cluster/host-watch.ts';
import type { EngineFinding } from '../../../server/compute/driver.ts';
import { NO_BROWSER, newPage, startBrowser } from '../../consoles/support/browser.ts';
import { FIRST, joined, recordSecond, SECOND, SimulatedCluster } from '../../hosts/clusters-support.ts';
import { looksRight } from '../../panel/browser/support/looks.ts';
import { buildIfChanged } from '../../panel/browser/support/panel-page.ts';
import { openPanel } from '../../panel/support/panel.ts';
import { enrolledOperator } from '../support/operator.ts';

const found = (version: string): EngineFinding[] => [
  { what: 'API', state: 'ok', found: `incus ${version}` },
  { what: 'quorum', state: 'ok', found: 'the cluster has a quorum and lists 3 members' },
  { what: 'BGP', state: 'limited', found: 'core.bgp_asn is not set' },
];

/** Opens the operator's page of hosts in the browser's language. */
async function open(t: TestContext, panel: Awaited<ReturnType<typeof openPanel>>, locale = 'en') {
  await buildIfChanged();
  const { browser } = await enrolledOperator(panel);
  const { page, complaints } = await newPage(await startBrowser(t), { locale });
  const [name, value] = browser.cookie!.split('=') as [string, string];
  await page.context().addCookies([{ name, value, url: `${panel.baseUrl}/operator` }]);
  const url = `${panel.baseUrl}/operator/host`;
  await page.goto(url);
  return { page, complaints, url };
}

/** Opens a service on two clusters, of which the second has its own region. */
async function openOnClusters(t: TestContext) {
  const panel = await openPanel(t);
  const { services, db, clock } = panel;
  const first = new SimulatedCluster(db, clock, FIRST, found('6.0.4'));
  const second = new SimulatedCluster(db, clock, SECOND, found('6.0.5'));
  const compute = joined(db, clock, first, second);
  await recordSecond(db, clock);
  services.compute = compute;
  await new HostWatch(services).run();
  return { panel, second };
}

test('an operator sees the clusters: their regions, states, and one that is unreachable', {
  skip: NO_BROWSER,
}, async (t) => {
  const { panel, second } = await openOnClusters(t);
  const { page, complaints, url } = await open(t, panel);
  const clusters = page.getByRole('table', { name: 'Clusters' });
  const cells = (region: string) =>
    clusters.getByRole('row', { name: region }).getByRole('cell').allInnerTexts();
  await clusters.getByText('eu-west').waitFor();
  assert.deepEqual((await cells('eu-central')).slice(0, 4), ['eu-central', 'OK', '2 of 2', '0']);
  const [region, state, members, guests, , address] = await cells('eu-west');
  assert.deepEqual(
    [region, state, members, guests, address],
    ['eu-west', 'OK', '1 of 1', '0', 'https://10.1.0.1:8443'],
  );
  const check = page.getByRole('table', { name: 'Requirements for machines' });
  const row = (name: string) => check.getByRole('row', { name }).getByRole('cell').allInnerTexts();
  await check.getByText('eu-west: quorum').waitFor();
  assert.deepEqual(await row('eu-west: API'), ['eu-west: API', 'OK', 'incus 6.0.5']);
  assert.deepEqual(await row('eu-west: BGP'), ['eu-west: BGP', 'Limited', 'core.bgp_asn is not set']);
  await looksRight(page, url, 'operator clusters');

  second.state = 'away';
  await page.reload();
  await clusters.getByText('Unreachable').waitFor();
  assert.deepEqual((await cells('eu-central')).slice(0, 3), ['eu-central', 'OK', '2 of 2']);
  const away = await cells('eu-west');
  assert.deepEqual(away.slice(0, 3), ['eu-west', 'Unreachable', '0 of 1']);
  assert.match(away[4]!, /region eu-west does not answer: cluster bbb is away/);
  await check.getByText('Missing').waitFor();
  assert.deepEqual(await row('eu-west: quorum'), [
    'eu-west: quorum',
    'Missing',
    'the cluster does not answer',
  ]);
  await looksRight(page, url, 'operator cluster away');
  assert.deepEqual(complaints, []);
});

test('a German-speaking operator sees the clusters in German', { skip: NO_BROWSER }, async (t) => {
  const { panel } = await openOnClusters(t);
  const { page } = await open(t, panel, 'de');
  const clusters = page.getByRole('table', { name: 'Cluster' });
  await clusters.getByText('2 von 2').waitFor();
  for (const title of ['Regionen', 'Hosts erreichbar', 'Auskunft'])
    await clusters.getByRole('columnheader', { name: title }).waitFor();
});

test("without clusters the page shows this host's capacity, and mentions no cluster", {
  skip: NO_BROWSER,
}, async (t) => {
  const panel = await openPanel(t);
  const { page, complaints } = await open(t, panel);
  await page.getByText('Checked on this host as the user of the service.').waitFor();
  await page.getByRole('table', { name: 'Requirements for machines' }).getByRole('row').nth(1).waitFor();
  assert.equal(await page.getByText(/cluster/i).count(), 0);
  assert.deepEqual(complaints, []);
});
