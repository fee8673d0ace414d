import { Page } from '../../ui/Page.tsx';

export function Members() {
  return <Page title="Members">{null}</Page>;
}
