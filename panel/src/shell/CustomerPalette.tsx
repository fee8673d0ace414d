import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { setTheme, type Theme, useTheme } from '../settings.ts';
import { defineTexts, useTexts } from '../texts.ts';
import type { IconName } from '../ui/Icon.tsx';
import { firstMachinesQuery } from './machines.ts';
import { type Find, Palette } from './Palette.tsx';
import { shellTexts } from './shell-texts.ts';

const texts = defineTexts(
  {
    create: 'Create machine',
    newKey: 'Create API key',
    dark: 'Dark theme',
    light: 'Light theme',
    page: 'Page',
    machine: 'Machine',
    action: 'Action',
  },
  {
    create: 'Maschine anlegen',
    newKey: 'API-Schlüssel anlegen',
    dark: 'Dunkle Darstellung',
    light: 'Helle Darstellung',
    page: 'Seite',
    machine: 'Maschine',
    action: 'Aktion',
  },
);

export function CustomerPalette({ onClose }: { onClose: () => void }) {
  return <Palette useFinds={useEverything} onClose={onClose} />;
}

function useEverything(): Find[] {
  const t = useTexts(texts);
  const shell = useTexts(shellTexts);
  const navigate = useNavigate();
  const theme = useTheme();
  const { data } = useQuery(firstMachinesQuery);
  return useMemo(() => {
    const other: Theme = theme === 'dark' ? 'light' : 'dark';
    const machines = (data?.items ?? []).map((vm): Find => {
      const addresses = [vm.ipv4, vm.ipv6].filter(Boolean).join(' ');
      return {
        id: vm.id,
        icon: 'machine',
        label: vm.hostname,
        more: addresses,
        kind: t.machine,
        go: () => navigate({ to: '/machines/$id', params: { id: vm.id } }),
      };
    });
    const page = (id: string, icon: IconName, label: string, go: () => void): Find => ({
      id,
      icon,
      label,
      kind: t.page,
      go,
    });
    const action = (id: string, icon: IconName, label: string, go: () => void): Find => ({
      id,
      icon,
      label,
      kind: t.action,
      go,
    });
    return [
      ...machines,
      action('create', 'plus', t.create, () => navigate({ to: '/machines/new' })),
      action('top-up', 'wallet', shell.topUp, () => navigate({ to: '/billing/top-up' })),
      action('new-key', 'code', t.newKey, () => navigate({ to: '/keys' })),
      page('machines', 'machine', shell.machines, () => navigate({ to: '/machines' })),
      page('shield', 'shield', shell.shield, () => navigate({ to: '/shield' })),
      page('ssh-keys', 'key', shell.sshKeys, () => navigate({ to: '/ssh-keys' })),
      page('billing', 'wallet', shell.billing, () => navigate({ to: '/billing' })),
      page('keys', 'code', shell.keys, () => navigate({ to: '/keys' })),
      page('members', 'people', shell.members, () => navigate({ to: '/members' })),
      page('audit', 'list', shell.audit, () => navigate({ to: '/audit' })),
      page('settings', 'gear', shell.settings, () => navigate({ to: '/account' })),
      action('theme', other === 'dark' ? 'moon' : 'sun', other === 'dark' ? t.dark : t.light, () =>
        setTheme(other),
      ),
    ];
  }, [data, t, shell, navigate, theme]);
}
