import { ATTACKS } from '../attacks/catalogue.ts'
import { walletAttacks } from '../attacks/wallets.ts'
import { attack } from '../lab/use-attacked.ts'

for (const store of ['postgres', 'postgres and redis'] as const)
  attack({
    name: `a relay with ${store}`,
    store,
    flags: ['--no-chain'],
    attacks: ATTACKS.filter(({ aimsAtStore }) => aimsAtStore === true),
  })

attack({
  name: 'a relay with postgres, redis and a chain',
  store: 'postgres and redis',
  attacks: walletAttacks,
})
