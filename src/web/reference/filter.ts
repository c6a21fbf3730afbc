import { element } from './element.ts'

export const isMatch = (text: string, typed: string): boolean =>
  typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word))

export function addFilter(contents: HTMLElement): void {
  const input = element('input', {
    type: 'search',
    placeholder: 'Filter calls',
    'aria-label': 'Filter calls',
    autocomplete: 'off',
  })
  const told = element('p', { role: 'status', class: 'aloud' })
  contents.prepend(element('div', { class: 'filter' }, input, told))
  const links = [...contents.querySelectorAll<HTMLAnchorElement>('details a')]
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)))
  const texts = links.map((link, at) => `${link.textContent} ${routeOf(targets[at])}`)

  input.addEventListener('input', () => {
    const matches = texts.map((text) => isMatch(text, input.value.trim()))
    for (const [at, link] of links.entries()) {
      const item = link.closest('li')
      if (item !== null) item.hidden = !matches[at]
      const target = targets[at]
      if (target?.classList.contains('operation')) target.hidden = !matches[at]
    }
    for (const list of contents.querySelectorAll('ul')) {
      const isEmpty = [...list.children].every((item) => (item as HTMLElement).hidden)
      const title = list.previousElementSibling as HTMLElement
      title.hidden = isEmpty
    }
    told.textContent = `${matches.filter(Boolean).length} shown`
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || isTyping(event.target)) return
    event.preventDefault()
    input.focus()
  })
}

const routeOf = (target: HTMLElement | null | undefined): string => target?.querySelector('.route')?.textContent ?? ''

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select')
