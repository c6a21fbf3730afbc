/** Controls, bidirectional overrides, zero-width characters, line and paragraph separators, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A text that a stranger wrote, fit for one line of a terminal: what could move the cursor or lie is shown as U+FFFD. */
export const safeText = (text: string): string => text.replace(UNSAFE, '\u{fffd}')

/**
 * Characters that are invisible or change the order of a line: controls, marks of direction, zero-width characters, blank
 * fillers, tags, line and paragraph separators, lone surrogates.
 */
const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`

/** Within an emoji two of them are part of a picture: the joiner between two pictures, and the choice of its colour. */
const PLAIN = new RegExp(
  String.raw`^(?:[^${UNSEEN}]|(?<=\p{Emoji})[\ufe0e\ufe0f]|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic}))*$`,
  'u',
)

/** Whether a stranger's text is what it looks like on everyone's screen, so that it may be kept and passed on. */
export const isPlainText = (text: string): boolean => PLAIN.test(text)

/** A text that every store can keep, Postgres too: NUL and lone surrogates become U+FFFD. */
export const storableText = (text: string): string => text.replace(/[\0\p{Cs}]/gu, '\u{fffd}')

/** A time in a sentence, in UTC to the second: 2026-11-22T03:10:00Z. Unix milliseconds, or ISO 8601 as it is kept in a file. */
export const utcText = (at: number | string): string =>
  (typeof at === 'number' ? new Date(at).toISOString() : at).replace(/\.\d{3}Z$/, 'Z')
