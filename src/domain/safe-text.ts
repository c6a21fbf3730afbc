/** Controls, bidirectional overrides, zero-width characters, line and paragraph separators, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A text that a stranger wrote, fit for one line of a terminal: what could move the cursor or lie is shown as U+FFFD. */
export const safeText = (text: string): string => text.replace(UNSAFE, '\u{fffd}')
