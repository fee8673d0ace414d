import { Page } from '../../ui/Page.tsx';

export function Prices() {
  return <Page title="Prices">{null}</Page>;
}
