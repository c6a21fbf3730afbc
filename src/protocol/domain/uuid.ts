/** The first bits of a digest, or of random data, as text in the form of a random UUID, version 4; `hex` has 32 digits or more. */
export function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20)]
  return [...parts, hex.slice(20, 32)].join('-')
}
