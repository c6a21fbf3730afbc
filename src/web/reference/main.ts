import './try.css'
import { createCredentials } from './credentials.ts'
import { type OpenApi, type Operation, operationsOf } from './documents.ts'
import { button, copyButton } from './element.ts'
import type { Sources } from './fields.ts'
import { addFilter } from './filter.ts'
import { createTryPanel } from './try-panel.ts'

/** Loaded at the first try; a failure is forgotten, so that the next click tries again. */
let operations: Promise<ReadonlyMap<string, Operation>> | null = null

function loadOperations(): Promise<ReadonlyMap<string, Operation>> {
  operations ??= fetch('/openapi.json')
    .then((response) => response.json())
    .then((document: OpenApi) => operationsOf(document))
    .catch((fault: unknown) => {
      operations = null
      throw fault
    })
  return operations
}

const sources: Sources = {
  remembered: new Map(),
  credentials: createCredentials(sessionStorage, () => {
    for (const input of document.querySelectorAll<HTMLInputElement>('input[data-credential]')) {
      input.value = sources.credentials.get(input.dataset.credential ?? '')
      // Redraws all that derives from the form, its line of curl for instance.
      input.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }),
}

function addTry(article: HTMLElement): void {
  const call = article.querySelector<HTMLElement>('.samples .call')
  if (call === null) return
  call.before(copyButton(() => call.textContent ?? ''))
  const open = button(
    'Try it',
    () => {
      loadOperations().then(
        (known) => {
          const operation = known.get(article.id)
          if (operation === undefined) return
          const panel = createTryPanel(operation, sources)
          article.append(panel)
          open.remove()
          panel.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
        },
        () => (open.textContent = 'The relay did not answer: try again'),
      )
    },
    { class: 'main', 'aria-label': `Try it: ${article.querySelector('h3')?.textContent ?? ''}` },
  )
  article.querySelector('.route')?.append(open)
}

for (const article of document.querySelectorAll<HTMLElement>('article.operation')) addTry(article)
const contents = document.querySelector<HTMLElement>('nav')
if (contents !== null) addFilter(contents)
