import {
  type Account,
  custom,
  domainSeparator,
  encodeAbiParameters,
  recoverTypedDataAddress,
  toFunctionSelector,
  toHex,
} from 'viem'
import { privateKeyToAccount, toAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { signPermit } from '../../src/client/permit.ts'
import { createWallet } from '../../src/client/wallet.ts'
import { type Address, type Hex, usd6 } from '../../src/protocol/domain/units.ts'

const TOKEN: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const CORE: Address = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
const SETTLEMENT: Address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0'
const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const DOMAIN = { name: 'USD Coin', version: '2', chainId: 80_002, verifyingContract: TOKEN }

/** What the token answers, by function; it reverts without a word where it has none. */
let answers: Map<string, Hex>
/** The function during which the node fails. */
let failsAt: Hex | null

const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])
const answer = (signature: string, value: Hex) => answers.set(toFunctionSelector(`function ${signature}`), value)

const transport = custom(
  {
    async request({ method, params }) {
      if (method !== 'eth_call') throw new Error(`The token was not told what ${method} is.`)
      const selector = (params[0].data as string).slice(0, 10)
      if (selector === failsAt) throw new Error('offline')
      const found = answers.get(selector)
      if (found !== undefined) return found
      throw Object.assign(new Error('execution reverted'), { code: 3, data: '0x' })
    },
  },
  { retryCount: 0 },
)

const permit = (owner: Account = account) =>
  signPermit(
    createWallet({
      account: owner,
      setup: { chainId: 80_002, settlementAddress: SETTLEMENT, coreAddress: CORE, transport },
    }),
    { spender: 'settlement', amount: usd6(24_000_000n), deadline: 1_800_000_000 },
  )

beforeEach(() => {
  answers = new Map()
  failsAt = null
  answer('stablecoin()', encodeAbiParameters([{ type: 'address' }], [TOKEN]))
  answer('name()', text('USD Coin'))
  answer('nonces(address)', toHex(7n, { size: 32 }))
  answer('version()', text('2'))
  answer('DOMAIN_SEPARATOR()', domainSeparator({ domain: DOMAIN }))
})

test('a token that tells its version by itself gets a permit for exactly the amount, to the one spender', async () => {
  const signed = await permit()
  expect(signed).toMatchObject({ value: 24_000_000n, deadline: 1_800_000_000n })
  const signer = await recoverTypedDataAddress({
    domain: DOMAIN,
    types: {
      Permit: ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'].map(
        (field) => {
          const [type = '', name = ''] = field.split(' ')
          return { type, name }
        },
      ),
    },
    primaryType: 'Permit',
    message: {
      owner: account.address,
      spender: SETTLEMENT,
      value: 24_000_000n,
      nonce: 7n,
      deadline: 1_800_000_000n,
    },
    signature: `${signed?.r}${signed?.s.slice(2)}${signed?.v.toString(16)}` as Hex,
  })
  expect(signer).toBe(account.address)
})

test.each([
  ['has no permits', () => answers.delete(toFunctionSelector('function DOMAIN_SEPARATOR()'))],
  ['answers nothing', () => answer('DOMAIN_SEPARATOR()', '0x')],
  ['signs under a domain that it does not tell', () => answer('version()', text('3'))],
])('a token that %s gets none', async (_, change) => {
  change()
  expect(await permit()).toBeNull()
})

test('a node that fails does not make it a token without permits', async () => {
  failsAt = toFunctionSelector('function DOMAIN_SEPARATOR()')
  await expect(permit()).rejects.toThrow('offline')
})

test('a wallet that several owners sign for makes no permit, whose signature has room for one', async () => {
  const ofTwo = async (): Promise<Hex> => `0x${'1b'.repeat(130)}`
  const refuse = () => Promise.reject(new Error('it signs typed data alone'))
  const owners = { address: account.address, signMessage: refuse, signTransaction: refuse, signTypedData: ofTwo }
  expect(await permit(toAccount(owners))).toBeNull()
})
