import { sha256, stringToHex } from 'viem/utils'

/** The first bits of a digest, or of random data, as text in the form of a random UUID, version 4; `hex` has 32 digits or more. */
export function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20)]
  return [...parts, hex.slice(20, 32)].join('-')
}

/**
 * The id of a request that its client names. Both sides derive it, so that a wallet can sign the commit of a request that is still
 * to be opened.
 * @param clientRequestId - The random UUID (version 4) with which the request is opened, in either case.
 * @returns The `requestId` that opening answers with.
 * @example
 * import { requestIdOf } from 'rfqctl/client'
 *
 * const requestId = requestIdOf('1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f')
 */
export const requestIdOf = (clientRequestId: string): string =>
  uuidOf(sha256(stringToHex(`request ${clientRequestId.toLowerCase()}`)).slice(2))
