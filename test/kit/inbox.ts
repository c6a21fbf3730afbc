/** What arrived on a channel, in order, with a place up to which the test has read. */
export type Inbox<Item> = {
  put: (item: Item) => void
  /** Says that nothing will arrive any more; every wait that is not answered fails. */
  end: (why: string) => void
  /** The next item that meets the condition, whatever was between is skipped. Fails when it does not come in time. */
  until: (condition: (item: Item) => boolean, timeoutMs?: number) => Promise<Item>
  /** The next item, whatever it is. */
  next: (timeoutMs?: number) => Promise<Item>
  /** Everything that ever arrived. */
  all: () => readonly Item[]
}

/** How long the suite waits for something that should come at once, in milliseconds: only what never comes takes it. */
export const PATIENCE_MS = 60_000

/** An inbox of a channel; `name` says in failures which. */
export function createInbox<Item>(name: string): Inbox<Item> {
  const items: Item[] = []
  const waiting = new Set<() => void>()
  let read = 0
  let ended: string | null = null

  const wake = () => {
    for (const look of [...waiting]) look()
  }

  function until(condition: (item: Item) => boolean, timeoutMs = PATIENCE_MS): Promise<Item> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => fail(`nothing of the kind in ${timeoutMs} ms`), timeoutMs)
      function finish(settle: () => void): void {
        clearTimeout(timer)
        waiting.delete(look)
        settle()
      }
      function fail(why: string): void {
        finish(() => reject(new Error(`${name}: ${why}; it has seen ${JSON.stringify(items.slice(-12))}`)))
      }
      function look(): void {
        while (read < items.length) {
          const item = items[read++] as Item
          if (!condition(item)) continue
          finish(() => resolve(item))
          return
        }
        if (ended !== null) fail(ended)
      }
      waiting.add(look)
      look()
    })
  }

  return {
    put: (item) => {
      items.push(item)
      wake()
    },
    end: (why) => {
      ended ??= why
      wake()
    },
    until,
    next: (timeoutMs) => until(() => true, timeoutMs),
    all: () => items,
  }
}
