import { safeText } from '@rfqctl/protocol/domain/safe-text'

/** Colour only repeats the tone: the text or a glyph beside it says the same. */
export type Style = 'strong' | 'faint' | 'good' | 'busy' | 'bad' | 'title' | 'chosen'

/** The text is safe: only `span` makes one. */
export type Span = { readonly text: string; readonly style: Style | null }

export type Line = readonly Span[]

/** The only way to show a text: it makes what strangers wrote safe. */
export const span = (text: string, style: Style | null = null): Span => ({ text: safeText(text), style })

export const line = (...parts: readonly (string | Span)[]): Line =>
  parts.map((part) => (typeof part === 'string' ? span(part) : part))

export const restyled = (spans: Line, style: Style): Line => spans.map(({ text }) => ({ text, style }))

export const plainText = (spans: Line): string =>
  spans
    .map(({ text }) => text)
    .join('')
    .trimEnd()
