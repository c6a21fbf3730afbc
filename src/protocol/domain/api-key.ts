/** Prefix of all keys. */
const START = 'mk_live_'

/** Random bits of a key: more than the 128 that no one can guess, and as many as fill its digits. */
export const API_KEY_BITS = 160

const RANDOM_DIGITS = 27
const CHECKSUM_DIGITS = 6
const FORM = new RegExp(`^${START}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}$`)

/** Number of random digits that are shown to identify a key; more than 128 bits stay hidden. */
const SHOWN_DIGITS = 4

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The reversed polynomial of CRC-32 (ISO 3309): it finds every mistyped or swapped pair of neighbouring digits. */
const CRC_POLYNOMIAL = 0xedb88320

/**
 * The key of `API_KEY_BITS` random bits. It ends with a checksum of the rest, so that a mistyped key can be distinguished from an
 * unknown one without a look-up, and a scanner recognises a leaked one (fault B3).
 */
export function apiKeyOf(random: bigint): string {
  const text = START + digitsOf(random, RANDOM_DIGITS)
  return text + checksumOf(text)
}

/** Whether a text can be a key that `apiKeyOf` made. Static keys need not be of this form (decision M6). */
export const isApiKey = (text: string): boolean =>
  FORM.test(text) && checksumOf(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS)

/** The part of a key that may be shown. */
export const apiKeyPrefix = (key: string): string => key.slice(0, START.length + SHOWN_DIGITS)

const checksumOf = (text: string): string => digitsOf(BigInt(crc32(text)), CHECKSUM_DIGITS)

/** A number in base 62, at least `length` digits. */
function digitsOf(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; rest > 0n; rest /= 62n) digits = BASE62[Number(rest % 62n)] + digits
  return digits.padStart(length, '0')
}

function crc32(ascii: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < ascii.length; i += 1) {
    crc ^= ascii.charCodeAt(i)
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? CRC_POLYNOMIAL : 0)
  }
  return ~crc >>> 0
}
