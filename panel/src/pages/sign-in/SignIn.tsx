import { Page } from '../../ui/Page.tsx';

export function SignIn() {
  return <Page title="Sign in">{null}</Page>;
}
