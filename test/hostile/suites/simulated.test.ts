import { ATTACKS } from '../attacks/catalogue.ts'
import { attack } from '../lab/use-attacked.ts'

attack({
  name: 'a relay with a file store and no chain',
  store: 'file',
  flags: ['--no-chain'],
  attacks: ATTACKS.filter(({ needs }) => needs !== 'chain'),
})
