import { ATTACKS } from '../attacks/catalogue.ts'
import { attack } from '../lab/use-attacked.ts'

attack({
  name: 'a relay with a file store and a chain',
  store: 'file',
  attacks: ATTACKS.filter(({ needs }) => needs === 'chain'),
})
