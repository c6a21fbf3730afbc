/** The confirmation deadline of the shared relays: a busy machine still signs in time, and a miss costs a test little. */
export const CONFIRMATION_MS = 4_000

/** What the operator of the shared relays says who it is. */
export const OPERATOR_TOKEN = 'the-operator-token-of-the-conformance-suite'

/** What the shared relays are started with; everything else has its default. */
export const SHARED_SETTINGS: Readonly<Record<string, string>> = {
  MAKER_CONFIRMATION_MS: String(CONFIRMATION_MS),
  OPERATOR_TOKEN,
}
