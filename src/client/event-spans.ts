/** Blocks, both ends included. */
export type BlockSpan = { from: bigint; to: bigint }

/**
 * Reads the events of blocks span by span, from the newest back: spans grow while the node answers, and shrink once it refuses one, since
 * public nodes look through some thousands of blocks at a time. Ends early when the node refuses even a single block, or after
 * `maxSpans`; each result names the block from which everything was read.
 */
export async function* readSpansBack<Events>(input: {
  blocks: BlockSpan
  firstSpan: bigint
  maxSpans: number
  read: (span: BlockSpan) => Promise<Events>
  signal?: AbortSignal | undefined
}): AsyncGenerator<{ events: Events; from: bigint }> {
  const { blocks, firstSpan, maxSpans, read, signal } = input
  let to = blocks.to
  let size = firstSpan
  let isRefused = false
  for (let spans = 0; spans < maxSpans && to >= blocks.from; spans++) {
    signal?.throwIfAborted()
    const from = to - size + 1n > blocks.from ? to - size + 1n : blocks.from
    const events = await read({ from, to }).catch(() => null)
    if (events === null) {
      if (size === 1n) return
      isRefused = true
      size = size > 4n ? size / 4n : 1n
      continue
    }
    yield { events, from }
    to = from - 1n
    if (!isRefused) size *= 2n
  }
}
