import { Page } from '../../ui/Page.tsx';

export function TopUp() {
  return <Page title="Top up">{null}</Page>;
}
