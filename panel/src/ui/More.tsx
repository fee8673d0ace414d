import { defineTexts, useTexts } from '../texts.ts';
import { Button } from './Button.tsx';

const texts = defineTexts({ more: 'Show more' }, { more: 'Mehr anzeigen' });

/** Loads the next page of a list; renders nothing on the last. */
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
