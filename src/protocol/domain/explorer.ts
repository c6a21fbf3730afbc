/** Address of a block explorer: the page of a transaction or an account is a path below it (EIP-3091). */
export const EXPLORER_URL = /^https:\/\/[a-zA-Z0-9.-]{1,100}(:\d{1,5})?(\/[\w.~-]{1,30}){0,3}$/

/** Page of a transaction (32 bytes) or of an account or a contract (20 bytes); null for anything else, and without an explorer. */
export function explorerPage(explorerUrl: string | null, hex: string): string | null {
  if (explorerUrl === null || !EXPLORER_URL.test(explorerUrl)) return null
  if (/^0x[0-9a-f]{64}$/i.test(hex)) return `${explorerUrl}/tx/${hex}`
  return /^0x[0-9a-f]{40}$/i.test(hex) ? `${explorerUrl}/address/${hex}` : null
}
