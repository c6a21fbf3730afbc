import { createWalletClient, custom, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createMakerClient } from '../../src/client/maker.ts'
import { createTakerClient } from '../../src/client/taker.ts'
import type { TakerClient } from '../../src/client/taker-client.ts'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { type Devnet, startDevnet } from '../../src/onchain/devnet/start.ts'
import { usd6 } from '../../src/protocol/domain/units.ts'
import { eventually } from '../kit/eventually.ts'
import { createFakeWallet, type FakeWallet } from './fake-wallet.ts'

const URL = 'http://127.0.0.1:1'
const account = privateKeyToAccount(createDevAccounts().takers[0]?.privateKey ?? '0x')

let devnet: Devnet
let dev: DevClient
let wallet: FakeWallet
let taker: TakerClient

beforeAll(async () => {
  devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
  dev = createDevClient(devnet.rpcUrl)
})
afterAll(() => devnet?.stop())

/** Where trades are settled, without a transport: the chain is reached by the wallet alone. */
const setup = () => ({ ...devnet.deployment, chainId: devnet.chainId, pollingIntervalMs: 10 })

beforeEach(() => {
  wallet = createFakeWallet({ account, chainId: devnet.chainId, node: dev.request as never })
  taker = createTakerClient({ url: URL, account: wallet.provider, chain: setup() })
})

describe('the wallet that a page is given', () => {
  test('reads and writes the chain without a transport of the page’s own', async () => {
    expect(await taker.getBalance()).toBeGreaterThan(0n)
    const before = await dev.getTransactionCount({ address: account.address })
    expect((await taker.approveSpender({ spender: 'core', amount: usd6(7n) }))?.status).toBe('success')
    expect(await taker.getAllowance('core')).toBe(7n)
    expect(await dev.getTransactionCount({ address: account.address })).toBe(before + 1)
  })

  test('sends nothing when its owner rejects, or has switched it to another chain', async () => {
    await taker.getBalance()
    const before = await dev.getTransactionCount({ address: account.address })
    wallet.answers = 'rejects'
    const approval = { spender: 'settlement', amount: usd6(8n) } as const
    await expect(taker.approveSpender(approval)).rejects.toMatchObject({ code: 'wallet_rejected' })
    wallet.answers = 'approves'
    wallet.chainId = 1
    await expect(taker.approveSpender(approval)).rejects.toMatchObject({ code: 'wallet_wrong_chain' })
    expect(await dev.getTransactionCount({ address: account.address })).toBe(before)
  })

  test('does not pass off a cancellation by its owner as the call', async () => {
    await taker.getBalance()
    await dev.setIntervalMining({ interval: 0 })
    await dev.setAutomine(false)
    try {
      const nonce = await dev.getTransactionCount({ address: account.address })
      wallet.asked.length = 0
      const sent = taker.approveSpender({ spender: 'settlement', amount: usd6(9n) }).catch((error: unknown) => error)
      // It is looked for in blocks once it is known to wait.
      const isLookedFor = () =>
        wallet.asked.lastIndexOf('eth_getBlockByNumber') > wallet.asked.indexOf('eth_getTransactionByHash')
      await eventually(() => wallet.asked.includes('eth_getTransactionByHash') && isLookedFor())
      const own = createWalletClient({ account, transport: http(devnet.rpcUrl) })
      const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n }
      await own.sendTransaction({ chain: null, to: account.address, nonce, gas: 21_000n, ...fees })
      await dev.mine({ blocks: 1 })
      expect(await sent).toMatchObject({ name: 'TransactionUnminedError' })
      expect(await taker.getAllowance('settlement')).toBe(0n)
    } finally {
      await dev.setAutomine(true)
    }
  })
})

test('a wallet client of viem serves a maker, with a key of its own or the account of a wallet', async () => {
  const transport = custom(wallet.provider)
  const clients = [createWalletClient({ account, transport }), createWalletClient({ transport })]
  for (const [i, client] of clients.entries()) {
    const maker = createMakerClient({ url: URL, apiKey: null, account: client, chain: setup() })
    expect((await maker.cancelNonce({ nonce: 700 + i })).status).toBe('success')
    await expect(maker.cancelNonce({ nonce: 700 + i })).rejects.toMatchObject({ code: 'nonce_used' })
  }
})
