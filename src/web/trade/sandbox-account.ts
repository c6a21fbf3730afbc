import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { keepSandboxKey } from './keep.ts'
import type { Storage } from './ports.ts'

/** The sandbox's account of a browser: its key is made once. Loaded by pages of a sandbox alone, for its code is large. */
export const openSandboxAccount = (storage: Storage): PrivateKeyAccount =>
  privateKeyToAccount(keepSandboxKey(storage, generatePrivateKey))
