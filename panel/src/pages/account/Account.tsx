import { Page } from '../../ui/Page.tsx';

export function Account() {
  return <Page title="Settings">{null}</Page>;
}
