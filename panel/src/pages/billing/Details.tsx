import { Foot } from '../../ui/Page.tsx';

export function Details() {
  return <Foot> </Foot>;
}
