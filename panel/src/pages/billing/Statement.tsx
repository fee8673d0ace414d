import { Foot } from '../../ui/Page.tsx';

export function Statement() {
  return <Foot> </Foot>;
}
