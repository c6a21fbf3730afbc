/** An event of a stream as its bytes say it. */
export type SeenEvent = { event: string; id: string | null; data: unknown }

/** Passes bytes on as they are, and tells the events in them. */
export function createSseTap(onEvent: (event: SeenEvent) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let rest = ''
  return new TransformStream({
    transform: (bytes, controller) => {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() as string
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map(splitField))
        const [event, data] = [fields.get('event'), fields.get('data')]
        if (event !== undefined && data !== undefined) {
          onEvent({ event, id: fields.get('id') ?? null, data: JSON.parse(data) })
        }
      }
      controller.enqueue(bytes)
    },
  })
}

function splitField(line: string): [string, string] {
  const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
  return [name, value]
}
