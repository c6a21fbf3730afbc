import { createAnswerView } from './answer-view.ts'
import { callOf, curlOf } from './call.ts'
import type { Operation } from './documents.ts'
import { button, copyButton, element } from './element.ts'
import { createFields, type Fields, type Sources } from './fields.ts'
import { isAboutSeries, withListedSeries } from './series-body.ts'

export function createTryPanel(operation: Operation, sources: Sources): HTMLElement {
  const fields = createFields(operation, sources)
  const answer = createAnswerView((ids) => {
    for (const [name, value] of Object.entries(ids)) sources.remembered.set(name, value)
  })
  const curl = element('pre', { class: 'curl' })
  const drawCurl = () => (curl.textContent = curlOf(operation, fields.filled(), location.origin))
  const sender = createSender(operation, fields, answer)
  const form = element(
    'form',
    { 'aria-label': `Try: ${operation.method} ${operation.path}`, novalidate: '' },
    ...fields.elements,
    element(
      'div',
      { class: 'acts' },
      sender.send,
      sender.stop,
      ...listedSeriesButton(operation, fields, answer.say, drawCurl),
    ),
  )
  form.addEventListener('input', drawCurl)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void sender.run()
  })
  drawCurl()
  return element(
    'div',
    { class: 'try' },
    form,
    element(
      'div',
      { class: 'line' },
      element('h4', {}, 'The same by curl'),
      copyButton(() => curl.textContent ?? ''),
    ),
    curl,
    answer.root,
  )
}

function createSender(operation: Operation, fields: Fields, answer: ReturnType<typeof createAnswerView>) {
  let running: AbortController | null = null
  const send = element('button', { type: 'submit', class: 'main' }, `Send ${operation.method}`)
  const stop = button('Stop', () => running?.abort(), { hidden: '' })
  const setRunning = (now: AbortController | null) => {
    running = now
    stop.hidden = now === null
    send.disabled = now !== null
  }

  async function run(): Promise<void> {
    if (running !== null) return
    const { call, missing } = callOf(operation, fields.filled())
    if (missing.length > 0) return answer.say(`Nothing was sent: ${missing.join(' and ')} must be given.`)
    const control = new AbortController()
    setRunning(control)
    answer.say('Waiting for the relay.')
    const began = performance.now()
    try {
      const response = await fetch(call.path, {
        method: call.method,
        headers: call.headers,
        body: call.body,
        signal: control.signal,
        cache: 'no-store',
        credentials: 'omit',
      })
      await answer.show(response, performance.now() - began)
    } catch (fault) {
      if (!control.signal.aborted)
        answer.say(`The relay did not answer: ${fault instanceof Error ? fault.message : 'unknown'}.`)
    } finally {
      setRunning(null)
    }
  }
  return { send, stop, run }
}

/** The example names a series that no relay has: one click inserts one that this relay has. */
function listedSeriesButton(
  { body }: Operation,
  fields: Fields,
  say: (text: string) => void,
  onChange: () => void,
): HTMLButtonElement[] {
  if (!isAboutSeries(body)) return []
  const fill = async () => {
    const filled = withListedSeries(body, await (await fetch('/v1/series?settled=false')).json())
    if (filled === null) return say('This relay lists no series.')
    fields.setBody(filled)
    onChange()
  }
  return [button('Use a listed series', () => void fill().catch(() => say('The relay did not answer.')))]
}
