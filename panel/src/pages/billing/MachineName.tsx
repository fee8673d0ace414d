import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { firstMachinesQuery } from '../../shell/machines.ts';
import { Mono } from '../../ui/Values.tsx';

/** A machine's name, or its id if it no longer exists. */
export function MachineName({ id }: { id: string }) {
  const { data } = useQuery(firstMachinesQuery);
  const machine = data?.items.find((each) => each.id === id);
  if (!machine) return <Mono>{id}</Mono>;
  return (
    <Link to="/machines/$id" params={{ id }}>
      {machine.hostname}
    </Link>
  );
}
