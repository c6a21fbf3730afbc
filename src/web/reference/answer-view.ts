import { createParser } from 'eventsource-parser'
import { HEADERS, idsIn, prettyJson, readBounded, SHOWN_BYTES } from './answer.ts'
import { copyButton, element } from './element.ts'

/** Newest events of a stream that are shown, and characters of each. */
const SHOWN_EVENTS = 100
const SHOWN_EVENT = 4_000

type Remember = (ids: Readonly<Record<string, string>>) => void

export function createAnswerView(remember: Remember) {
  const line = element('p', { class: 'status', role: 'status' })
  const rest = element('div', {})
  const root = element('div', { class: 'answer', hidden: '' }, line, rest)
  const say = (text: string, kind = '') => {
    root.hidden = false
    line.textContent = text
    line.dataset.kind = kind
    rest.replaceChildren()
  }

  async function show(response: Response, tookMs: number): Promise<void> {
    say(`${response.status} ${response.statusText} in ${Math.round(tookMs)} ms`, response.ok ? 'ok' : 'refused')
    rest.append(headersOf(response))
    if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream') === true)
      return showEvents(response, rest, remember)
    const { text, isCut } = await readBounded(response.body)
    const shown = isCut ? text : prettyJson(text)
    remember(idsIn(text))
    if (isCut)
      rest.append(element('p', {}, `The first ${SHOWN_BYTES / 1_000} kB; the line of curl brings the whole answer.`))
    if (shown !== '')
      rest.append(
        copyButton(() => shown),
        element('pre', {}, shown),
      )
  }

  return { root, say, show }
}

function headersOf({ headers }: Response): HTMLElement {
  const told = HEADERS.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [element('dt', {}, name), element('dd', {}, value)]
  })
  return element('dl', { class: 'headers' }, ...told)
}

async function showEvents(response: Response, into: HTMLElement, remember: Remember): Promise<void> {
  let count = 0
  const counted = element('p', {}, 'No event yet.')
  const list = element('ol', { class: 'events' })
  into.append(counted, list)
  const parser = createParser({
    onEvent: ({ event = 'message', id, data }) => {
      count += 1
      counted.textContent = `${count} ${count === 1 ? 'event' : 'events'}${count > SHOWN_EVENTS ? `, the newest ${SHOWN_EVENTS} shown` : ''}.`
      const head = element('p', {}, element('code', {}, event), ` ${id === undefined ? '' : `id ${id}`}`)
      const text = prettyJson(data)
      const isCut = text.length > SHOWN_EVENT
      list.prepend(element('li', {}, head, element('pre', {}, isCut ? `${text.slice(0, SHOWN_EVENT)}\n…` : text)))
      if (count > SHOWN_EVENTS) list.lastElementChild?.remove()
      remember(idsIn(data))
    },
    onComment: () => {},
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return
    parser.feed(value)
  }
}
