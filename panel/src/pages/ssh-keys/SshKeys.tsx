import { Page } from '../../ui/Page.tsx';

export function SshKeys() {
  return <Page title="SSH keys">{null}</Page>;
}
