/** What differs from what was last shown under the same name; what is not shown any more is forgotten. */
export function createChanges<Item>({
  nameOf,
  isSame,
}: {
  nameOf: (item: Item) => string
  isSame: (a: Item, b: Item) => boolean
}): (items: readonly Item[]) => readonly Item[] {
  let shown: ReadonlyMap<string, Item> = new Map()
  return (items) => {
    const former = shown
    shown = new Map(items.map((item) => [nameOf(item), item]))
    return items.filter((item) => {
      const before = former.get(nameOf(item))
      return before === undefined || !isSame(item, before)
    })
  }
}
