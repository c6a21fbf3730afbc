import type { Address, Hex } from '../../src/protocol/domain/units.ts'
import { createSignatures } from '../../src/relay/adapters/signing.ts'

const signatures = createSignatures()

/** The address that signed a digest, as the relay recovers it: test/relay/adapters/signing.test.ts holds it to viem, which takes eight times as long. */
export const recover = (digest: Hex, signature: Hex): Promise<Address | null> =>
  signatures.recover(digest, signature).catch(() => null)
