import { Page } from '../../ui/Page.tsx';

export function NewMachine() {
  return <Page title="Create machine">{null}</Page>;
}
