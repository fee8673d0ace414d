import { Page } from '../../ui/Page.tsx';

export function Machines() {
  return <Page title="Machines">{null}</Page>;
}
