/** Identifiers and secrets from a CSPRNG, and the digest under which a secret is kept. */
export type Ids = {
  /** UUID v4. */
  uuid: () => string
  /** At least 128 random bits as URL-safe text. */
  secret: () => string
  /** A whole number of so many random bits. */
  random: (bits: number) => bigint
  /** SHA-256 in lower-case hex. */
  digest: (secret: string) => string
  /** Whether two digests are one; how long that takes does not say where they differ (fault B2). */
  isSameDigest: (a: string, b: string) => boolean
}
