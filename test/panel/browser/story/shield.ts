import { asked, button, dialog, entry, type Stage } from './stage.ts';

/** Sees an attack on the machine's address, how it is stopped, and stops its source by hand as well. */
export async function seesAttack(stage: Stage, id: string): Promise<void> {
  const { page, baseUrl, clock, operate } = stage;
  const { account } = await asked<{ account: { id: string } }>(page, '/session');
  const { ipv4 } = await asked<{ ipv4: string }>(page, `/v1/vm/${id}`);
  const tenant = await operate(`/accounts/${account.id}/tenants`, { name: 'story' });
  const target = await operate(`/tenants/${tenant.id}/targets`, { ip: ipv4 });
  await operate(`/targets/${target.id}/attack`, { vector: 'syn_flood', pps: 300_000, seconds: 3_600 });
  await entry(page, 'Shield').click();
  await page.getByRole('link', { name: ipv4 }).click();
  await page.getByText('SYN flood').first().waitFor();
  await page.getByText('Noticed', { exact: true }).waitFor();
  await page.getByText('Mitigated', { exact: true }).waitFor();
  await page.getByRole('row', { name: /automatic.*In force/ }).waitFor();

  await button(page, 'Add a rule').click();
  await dialog(page).getByLabel('Protocol').selectOption('tcp');
  await dialog(page).getByLabel('From').fill('198.18.0.0/15');
  await dialog(page).getByLabel('Comment').fill('by hand');
  await button(page, 'Save rule').click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /198\.18\.0\.0\/15.*by hand.*In force/ }).waitFor();

  await operate(`/targets/${target.id}/attack/stop`, {});
  const over = page.getByRole('cell', { name: 'Over', exact: true });
  // It is over when it was quiet for a minute.
  while (!(await over.isVisible())) {
    clock.advance(10_000);
    await page.waitForTimeout(100);
  }
  await page.goto(`${baseUrl}/panel/machines/${id}/terminal`);
}
