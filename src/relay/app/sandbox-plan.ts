import type { DevAccounts } from '@rfqctl/onchain/devnet/accounts'
import type { StaticMakerKey } from '../config/maker-keys.ts'
import type { Settings } from '../config/settings.ts'
import type { Sandbox, SandboxWallet } from './sandbox-file.ts'

export type SandboxPlan = Pick<Sandbox, 'makers' | 'takers' | 'registrar'> & {
  operatorToken: string
  staticKeys: readonly StaticMakerKey[]
}

/**
 * Gives configured maker keys to the sandbox's makers in turn. Without any, each maker gets its own key, kept from the
 * former run, so that makers come back after a restart. In open mode any text is a key, and distinguishes makers
 * (decision M5).
 */
export function planSandbox(parts: {
  settings: Pick<Settings, 'keys' | 'isOpen'>
  accounts: DevAccounts | null
  former: Sandbox | null
  newSecret: () => string
}): SandboxPlan {
  const { settings, accounts, former, newSecret } = parts
  const { keys, isOpen } = settings
  const named = (prefix: string, wallets: DevAccounts['makers']): SandboxWallet[] =>
    wallets.map((wallet, index) => ({ name: `${prefix}-${index + 1}`, ...wallet }))
  const wallets = accounts === null ? [] : named('maker', accounts.makers)
  const makesKeys = keys.makers.length === 0 && !isOpen
  const keyFor = ({ name }: SandboxWallet, index: number): string | null => {
    if (isOpen) return name
    if (!makesKeys) return keys.makers[index]?.apiKey ?? null
    return former?.makers.find((maker) => maker.name === name)?.apiKey ?? `mk_live_${newSecret()}`
  }
  const makers = wallets.map((wallet, index) => ({ ...wallet, apiKey: keyFor(wallet, index) }))
  const madeKeys = makers.flatMap(({ apiKey, name }) => (apiKey === null ? [] : [{ apiKey, makerId: name }]))
  return {
    makers,
    takers: accounts === null ? [] : named('taker', accounts.takers),
    registrar: accounts === null ? null : { name: 'registrar', ...accounts.deployer },
    operatorToken: keys.operatorToken ?? former?.operatorToken ?? newSecret(),
    staticKeys: makesKeys ? madeKeys : keys.makers,
  }
}
