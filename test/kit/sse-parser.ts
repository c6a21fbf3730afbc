/** A block of an event stream, by the names of its fields; `data` is parsed. */
export type SseBlock = {
  event?: string
  id?: string
  retry?: string
  data?: Record<string, unknown>
  comment?: string
}

/** Cuts the text of an event stream into blocks, in whatever pieces it comes. */
export function createSseParser(): {
  /** The blocks that are whole with these characters. */
  push: (text: string) => SseBlock[]
  /** What is left when the stream ends: a field counts as soon as its line has ended, also in a block that does not. */
  end: () => SseBlock[]
} {
  let rest = ''
  return {
    push: (text) => {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() as string
      return blocks.map(parseBlock)
    },
    end: () => (rest === '' ? [] : [parseBlock(rest.trimEnd())]),
  }
}

function parseBlock(block: string): SseBlock {
  const fields: Record<string, unknown> = {}
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
    fields[name === '' ? 'comment' : name] = name === 'data' ? JSON.parse(value) : value
  }
  return fields
}
