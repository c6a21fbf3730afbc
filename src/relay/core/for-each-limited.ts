/** Runs at most `limit` at a time. Rejects with the first fault, after which no item is begun. */
export async function forEachLimited<Item>(items: Iterable<Item>, limit: number, work: (item: Item) => Promise<void>) {
  const waiting = items[Symbol.iterator]()
  let failed = false
  const takeOn = async () => {
    for (let next = waiting.next(); next.done !== true && !failed; next = waiting.next()) {
      await work(next.value).catch((fault: unknown) => {
        failed = true
        throw fault
      })
    }
  }
  await Promise.all(Array.from({ length: limit }, takeOn))
}
