import { describe, expect, test } from 'vitest'
import { createDevAccounts } from '../../../src/onchain/devnet/accounts.ts'
import type { Sandbox } from '../../../src/relay/app/sandbox-file.ts'
import { planSandbox } from '../../../src/relay/app/sandbox-plan.ts'

const accounts = createDevAccounts()
const none = { makers: [], operatorToken: null, settlementApiKey: null, resolutionSigner: null, faucet: null }

function plan(input: {
  keys?: { apiKey: string; makerId: string }[]
  isOpen?: boolean
  former?: Sandbox | null
  hasAccounts?: boolean
}) {
  let made = 0
  return planSandbox({
    settings: { keys: { ...none, makers: input.keys ?? [] }, isOpen: input.isOpen ?? false },
    accounts: input.hasAccounts === false ? null : accounts,
    former: input.former ?? null,
    newSecret: () => `secret-${made++}`,
  })
}

const formerOf = ({ staticKeys: _, ...wallets }: ReturnType<typeof plan>): Sandbox => ({
  version: 1,
  pid: 1,
  url: '',
  wsUrl: '',
  rpcUrl: null,
  chainId: 80_002,
  settlementAddress: '0x',
  coreAddress: '0x',
  stablecoinAddress: '0x',
  ...wallets,
})

test('every maker gets a key of its own where none is configured, and is known by its name', () => {
  const { makers, staticKeys } = plan({})
  expect(new Set(makers.map(({ apiKey }) => apiKey)).size).toBe(makers.length)
  expect(staticKeys).toEqual(makers.map(({ apiKey, name }) => ({ apiKey, makerId: name })))
  expect(makers[0]).toMatchObject({
    name: 'maker-1',
    ...accounts.makers[0],
    apiKey: expect.stringMatching(/^mk_live_/),
  })
})

test('keys and operator token are those of the former run', () => {
  const first = plan({})
  const second = plan({ former: formerOf({ ...first, operatorToken: 'former-token' }) })
  expect(second.staticKeys).toEqual(first.staticKeys)
  expect(second.operatorToken).toBe('former-token')
})

describe('configured keys', () => {
  const keys = [{ apiKey: 'configured', makerId: 'alpha' }]

  test('only those are good, and makers get them in turn', () => {
    const { makers, staticKeys } = plan({ keys, former: formerOf(plan({})) })
    expect(staticKeys).toEqual(keys)
    expect(makers.map(({ apiKey }) => apiKey)).toEqual(['configured', null, null, null, null])
  })
})

test('in open mode no key is configured, and makers tell themselves apart by any text', () => {
  const { makers, staticKeys } = plan({ isOpen: true })
  expect(staticKeys).toEqual([])
  expect(makers.map(({ apiKey }) => apiKey)).toEqual(makers.map(({ name }) => name))
})

test('contracts of others have no dev accounts', () => {
  expect(plan({ hasAccounts: false })).toMatchObject({ makers: [], takers: [], registrar: null, staticKeys: [] })
})
