import assert from 'node:assert/strict';
import { asked, button, dialog, entry, type Stage } from './stage.ts';

const QUIET_MS = 60_000;

interface Attack {
  status: string;
  started_at: string;
  mitigated_at: string | null;
  ended_at: string | null;
}

/**
 * Watches an attack on the machine's address from start to end. Each step shows its time, which must match the API's.
 * Also blocks the source manually.
 */
export async function seesAttack(stage: Stage, id: string): Promise<void> {
  const { page, baseUrl, clock, operate } = stage;
  const { account } = await asked<{ account: { id: string } }>(page, '/session');
  const { ipv4 } = await asked<{ ipv4: string }>(page, `/v1/vm/${id}`);
  const tenant = await operate(`/accounts/${account.id}/tenants`, { name: 'story' });
  const target = await operate(`/tenants/${tenant.id}/targets`, { ip: ipv4 });
  await operate(`/targets/${target.id}/attack`, { vector: 'syn_flood', pps: 300_000, seconds: 3_600 });
  const latest = async () =>
    (await asked<Attack[]>(page, `/v1/tenants/${tenant.id}/targets/${target.id}/events`))[0]!;
  await entry(page, 'Shield').click();
  await page.getByRole('link', { name: ipv4 }).click();
  await page.getByText('SYN flood').first().waitFor();
  const moment = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await moment('Detected').waitFor();
  await moment('Mitigated')
    .getByText(/^after \d/)
    .waitFor();
  await page.getByRole('row', { name: /automatic.*Active/ }).waitFor();
  const mitigated = await latest();
  assert.equal(mitigated.status, 'ongoing');
  assert.ok(Date.parse(mitigated.mitigated_at!) >= Date.parse(mitigated.started_at));
  assert.equal(
    await moment('Detected').locator('time').getAttribute('datetime'),
    mitigated.started_at,
    'the time that is shown is that of the API',
  );

  await button(page, 'Add rule').click();
  await dialog(page).getByLabel('Protocol').selectOption('tcp');
  await dialog(page).getByLabel('From').fill('198.18.0.0/15');
  await dialog(page).getByLabel('Comment').fill('by hand');
  await button(page, 'Save rule').click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /198\.18\.0\.0\/15.*by hand.*Active/ }).waitFor();

  const stopped = clock.now().getTime();
  await operate(`/targets/${target.id}/attack/stop`, {});
  const over = page.getByRole('cell', { name: 'Ended', exact: true });
  // The attack is over after a minute of quiet.
  while (!(await over.isVisible())) {
    clock.advance(10_000);
    await page.waitForTimeout(100);
  }
  await moment('Ended')
    .getByText(/^after \d/)
    .waitFor();
  const ended = await latest();
  assert.equal(ended.status, 'ended');
  assert.equal(ended.mitigated_at, mitigated.mitigated_at);
  // The attack ended when its traffic did: the minute of quiet is not part of it.
  const quietFrom = Date.parse(ended.ended_at!);
  assert.ok(quietFrom >= Date.parse(ended.mitigated_at!) && quietFrom <= clock.now().getTime() - QUIET_MS);
  assert.ok(quietFrom >= stopped - 1_000, 'not before it was stopped');
  await page.goto(`${baseUrl}/panel/machines/${id}/terminal`);
}
