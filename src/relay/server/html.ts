/** Text that needs no escaping. */
export type Html = { html: string }

/** Values are escaped unless they are `Html`; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { html: parts.map((part, i) => part + (i < values.length ? textOf(values[i]) : '')).join('') }
}

type HtmlValue = string | number | Html | readonly Html[] | undefined

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] as string)

function textOf(value: HtmlValue): string {
  if (value === undefined) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value))
  return 'html' in value ? value.html : value.map(textOf).join('')
}

/** Words between backticks become code. */
export const sentence = (text: string): Html => ({
  html: text
    .split('`')
    .map((part, i) => (i % 2 === 0 ? escapeText(part) : `<code>${escapeText(part)}</code>`))
    .join(''),
})

export const json = (value: unknown): Html => html`<pre>${JSON.stringify(value, null, 2)}</pre>`
