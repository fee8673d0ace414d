import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { texts } from './texts.ts';

/** Reads a list further. */
export function More({
  query,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  const t = useTexts(texts);
  if (!query.hasNextPage) return null;
  return (
    <div>
      <Button isPending={query.isFetchingNextPage} onPress={() => query.fetchNextPage()}>
        {t.more}
      </Button>
    </div>
  );
}
