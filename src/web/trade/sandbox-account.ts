import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Storage } from './ports.ts'
import { keepSandboxKey } from './trade-storage.ts'

/** The key is made once per browser. Its code is large, so only pages of a sandbox load it. */
export const openSandboxAccount = (storage: Storage): PrivateKeyAccount =>
  privateKeyToAccount(keepSandboxKey(storage, generatePrivateKey))
