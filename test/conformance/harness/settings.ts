/**
 * The confirmation deadline of the shared relays, in milliseconds: no machine is so busy that a test signs too late. What
 * needs a deadline to pass has a relay of its own (deadline.test.ts); a miss for another reason is a decline, or no socket.
 */
export const CONFIRMATION_MS = 120_000

/** The life of a quote, in milliseconds, that a commit must still find there and that the test then sees end. */
export const OUTLIVED_MS = 10_000

/** What the operator of the shared relays says who it is. */
export const OPERATOR_TOKEN = 'the-operator-token-of-the-conformance-suite'

/** What the shared relays are started with; everything else has its default. */
export const SHARED_SETTINGS: Readonly<Record<string, string>> = {
  MAKER_CONFIRMATION_MS: String(CONFIRMATION_MS),
  OPERATOR_TOKEN,
  // The newest trades are public at once: what the delay does is tested with a fake clock.
  TAPE_DELAY_MS: '0',
  TRANSPARENCY_LOG: 'on',
}
