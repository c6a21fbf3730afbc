import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Storage } from './ports.ts'
import { keepSandboxKey } from './trade-storage.ts'

/** The sandbox's account of a browser: its key is made once. Loaded by pages of a sandbox alone, for its code is large. */
export const openSandboxAccount = (storage: Storage): PrivateKeyAccount =>
  privateKeyToAccount(keepSandboxKey(storage, generatePrivateKey))
