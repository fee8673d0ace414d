import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { readAll } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { State } from '../../ui/Badge.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Empty, Page, Stack } from '../../ui/Page.tsx';
import { Attacks } from './Attacks.tsx';
import { lookWhile, TARGET_LOOKS } from './looks.ts';
import { Rules } from './Rules.tsx';
import { MachineLink } from './Shield.tsx';
import { Traffic } from './Traffic.tsx';
import { shieldTexts } from './texts.ts';

export function TargetPage() {
  const t = useTexts(shieldTexts);
  const { tid, id } = useParams({ from: '/shell/shield/$tid/$id' });
  const query = useQuery({
    ...readAll('listShieldTargets', { params: { tid }, query: {} }),
    refetchInterval: ({ state }) => lookWhile(state.data?.some(({ status }) => status !== 'clean')),
  });
  return (
    <Loaded query={query}>
      {(targets) => {
        const target = targets.find((one) => one.id === id);
        if (!target)
          return (
            <Empty
              title={t.goneTitle}
              action={
                <Link to="/shield" className={buttonClass()}>
                  {t.toShield}
                </Link>
              }
            >
              {t.gone}
            </Empty>
          );
        const [tone, shape] = TARGET_LOOKS[target.status];
        return (
          <Page
            title={target.ip}
            aside={
              <>
                <State tone={tone} shape={shape}>
                  {t[target.status]}
                </State>
                {target.vm_id && <MachineLink id={target.vm_id} />}
                <span>{t[target.mode]}</span>
              </>
            }
            actions={
              <Link to="/shield" className={buttonClass()}>
                {t.toShield}
              </Link>
            }
          >
            <Stack>
              <Attacks tid={tid} target={target} />
              <Traffic tid={tid} target={id} />
              <Rules tid={tid} target={target} />
            </Stack>
          </Page>
        );
      }}
    </Loaded>
  );
}
