import { Page } from '../../ui/Page.tsx';

export function Overview() {
  return <Page title="Machine">{null}</Page>;
}
