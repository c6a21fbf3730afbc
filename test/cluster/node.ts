import type { PrivateKeyAccount } from 'viem/accounts'
import { createMaker, type Maker, type MakerKey } from '../kit/maker.ts'
import type { RelayProcess } from '../kit/relay-process.ts'
import { createService, type Service, walletOf } from '../kit/service.ts'
import { signIn } from '../kit/sign-in.ts'

/** A relay of a cluster, as one that speaks only the wire sees it. */
export type Node = {
  process: RelayProcess
  service: Service
  maker: (name: string) => Maker
  /** The headers of somebody signed in. Each node of a development cluster takes the tokens of its own provider. */
  accountHeaders: () => Promise<{ authorization: string }>
}

/** What every node lets an operator in with. */
export const OPERATOR_TOKEN = 'the-token-of-the-operator'

/** Makers that every node knows, by name. */
export const MAKERS = ['ada', 'bob', 'cyd', 'watcher'] as const

/** Their keys, as every node is told them. */
export const KEYS: readonly MakerKey[] = MAKERS.map((makerId) => ({ makerId, apiKey: `key-of-the-maker-${makerId}` }))

const WALLETS = new Map<string, PrivateKeyAccount>(MAKERS.map((name, index) => [name, walletOf(index + 1)]))

/** A node around a process that is ready. `rpcUrl`: of the chain that it stands on, where it has one. */
export function nodeOf(process: RelayProcess, rpcUrl: string | null): Node {
  const ready = { ...process.ready, rpcUrl }
  return {
    process,
    service: createService(ready),
    maker: (name) => {
      const key = KEYS.find(({ makerId }) => makerId === name)
      const wallet = WALLETS.get(name)
      if (key === undefined || wallet === undefined) throw new Error(`there is no maker ${name}`)
      return createMaker(ready, key, wallet)
    },
    accountHeaders: () => signIn(ready.dataDir, { operatorToken: OPERATOR_TOKEN }),
  }
}
