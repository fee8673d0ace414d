import { Page } from '../../ui/Page.tsx';

export function Keys() {
  return <Page title="API keys">{null}</Page>;
}
