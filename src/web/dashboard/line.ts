import { safeText } from '@rfqctl/protocol/domain/safe-text'

/** The tone of a text, which its colour tells a second time: the text or a glyph beside it says the same. */
export type Style = 'strong' | 'faint' | 'good' | 'busy' | 'bad' | 'title' | 'chosen'

/** A piece of a line. Its text is safe: only `span` makes one. */
export type Span = { readonly text: string; readonly style: Style | null }

/** One line of texts: of a screen, or of a page. */
export type Line = readonly Span[]

/** The one way to be shown: whatever strangers wrote is made safe here. */
export const span = (text: string, style: Style | null = null): Span => ({ text: safeText(text), style })

/** A line of texts and spans. */
export const line = (...parts: readonly (string | Span)[]): Line =>
  parts.map((part) => (typeof part === 'string' ? span(part) : part))

/** The same line with every span in one style. */
export const restyled = (spans: Line, style: Style): Line => spans.map(({ text }) => ({ text, style }))

/** A line without its tones. */
export const plainText = (spans: Line): string =>
  spans
    .map(({ text }) => text)
    .join('')
    .trimEnd()
