import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../api/queries.ts';
import { useTexts } from '../texts.ts';
import type { Choice } from '../ui/Menu.tsx';
import { PersonMenu } from './PersonMenu.tsx';
import { shellTexts } from './shell-texts.ts';
import { useSession } from './site.ts';

export function AccountMenu() {
  const t = useTexts(shellTexts);
  const { person, account, accounts } = useSession();
  const switchAccount = useSwitch();
  const navigate = useNavigate();
  const others = accounts.filter(({ id }) => id !== account?.id);
  const choices: Choice[] = [
    ...others.map(
      ({ id, name }): Choice => ({
        id,
        label: name,
        icon: 'people',
        onAction: () => switchAccount.mutate({ body: { account_id: id } }),
      }),
    ),
    { id: 'settings', label: t.settings, icon: 'gear', onAction: () => navigate({ to: '/account' }) },
  ];
  const name = person.name || person.email;
  return <PersonMenu name={name} place={account?.name} choices={choices} signIn="/panel/sign-in" />;
}

/** Reloads the whole page: data of one account must never appear in another. */
function useSwitch() {
  return useChange('switchAccount', { onDone: () => location.assign('/panel/') });
}
