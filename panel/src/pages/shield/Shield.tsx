import { Page } from '../../ui/Page.tsx';

export function Shield() {
  return <Page title="Shield">{null}</Page>;
}
