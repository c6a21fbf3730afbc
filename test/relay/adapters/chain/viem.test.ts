import { HttpRequestError } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { contractOrder, type Order } from '../../../../src/protocol/domain/order.ts'
import { seriesIdOf } from '../../../../src/protocol/domain/series.ts'
import { contracts, usd6 } from '../../../../src/protocol/domain/units.ts'
import { createRpc } from '../../../../src/relay/adapters/chain/rpc.ts'
import { createViemChain, readTradingCutoff } from '../../../../src/relay/adapters/chain/viem.ts'
import type { Chain } from '../../../../src/relay/core/ports/chain.ts'
import {
  CORE,
  createFakeNode,
  ENVIRONMENT,
  type FakeNode,
  SETTLEMENT,
  SIGNER_CONTRACT,
  STABLECOIN,
} from './fake-node.ts'
import { termsAt, WALLET } from './terms.ts'

const TERMS = termsAt(4_500)
const SERIES_ID = seriesIdOf(TERMS)
const STATE = {
  expiry: BigInt(TERMS.expiry),
  strikeBps: TERMS.strikeBps,
  optionType: 0,
  resolutionBps: 0,
  settled: false,
  halted: false,
  openInterest: 0n,
  maxPayoff: 550_000,
  payoff: 0,
  finalAt: 0n,
  vetoed: false,
  openInterestCap: 2n ** 68n - 1n,
  tradingEndsAt: 0n,
  fixing: 1,
}

describe('the chain behind a node', () => {
  let node: FakeNode
  let chain: Chain
  let now: number

  const calls = (method: string) => node.requests.filter((request) => request.method === method).length
  const down = () => new HttpRequestError({ url: 'http://node', details: 'down' })

  beforeEach(() => {
    node = createFakeNode(1_800_000_000)
    now = 5_000
    chain = createViemChain({
      rpc: createRpc(node.transport, async () => {}),
      environment: ENVIRONMENT,
      tradingCutoffS: 0,
      cacheMs: 3_000,
      now: () => now,
    })
  })

  it('reads how long before expiry trading ends; a core of a former version has no such time', async () => {
    const rpc = createRpc(node.transport, async () => {})
    node.answers.set(`${CORE}.TRADING_CUTOFF`, { value: 600n })
    expect(await readTradingCutoff(rpc, CORE)).toBe(600)
    node.answers.set(`${CORE}.TRADING_CUTOFF`, { reverts: null })
    expect(await readTradingCutoff(rpc, CORE)).toBe(0)
  })

  describe('time', () => {
    it('is that of the latest block when no later one is pending', async () => {
      expect(await chain.time('latest')).toBe(1_800_000_000)
    })

    it('is that of the pending block when that is later, because a fill will be judged by it', async () => {
      node.pendingAheadS = 2
      expect(await chain.time('latest')).toBe(1_800_000_002)
    })

    it('may be a few seconds old when cached', async () => {
      await chain.time('cached')
      node.mine()
      expect(await chain.time('cached')).toBe(1_800_000_000)
      now += 3_000
      expect(await chain.time('cached')).toBe(1_800_000_001)
      expect(await chain.time('latest')).toBe(1_800_000_001)
    })
  })

  describe('funds', () => {
    beforeEach(() => {
      node.answers.set(`${STABLECOIN}.balanceOf`, ([wallet]) => ({ value: wallet === WALLET ? 7_000_000n : 0n }))
      node.answers.set(`${STABLECOIN}.allowance`, ([owner, spender]) => ({
        value: owner !== WALLET ? 0n : spender === CORE ? 1n : spender === SETTLEMENT ? 2n : 3n,
      }))
    })

    it('are the balance and what is approved to the one spender', async () => {
      expect(await chain.funds(WALLET, 'core', 'latest')).toEqual({ balance: 7_000_000n, allowance: 1n })
      expect(await chain.funds(WALLET, 'settlement', 'latest')).toEqual({ balance: 7_000_000n, allowance: 2n })
    })

    it('are read once for all who ask within the cache time, for each wallet and spender', async () => {
      await Promise.all(Array.from({ length: 20 }, () => chain.funds(WALLET, 'core', 'cached')))
      expect(calls('eth_call')).toBe(1)
      await chain.funds(WALLET, 'settlement', 'cached')
      await chain.funds(CORE, 'core', 'cached')
      expect(calls('eth_call')).toBe(3)
      await chain.funds(WALLET, 'core', 'latest')
      expect(calls('eth_call')).toBe(4)
    })

    it('are refused with chain_unavailable when they cannot be read, and read again after that', async () => {
      node.faults = Array.from({ length: 3 }, down)
      await expect(chain.funds(WALLET, 'core', 'cached')).rejects.toMatchObject({ code: 'chain_unavailable' })
      expect(await chain.funds(WALLET, 'core', 'cached')).toEqual({ balance: 7_000_000n, allowance: 1n })
    })
  })

  describe('positions', () => {
    beforeEach(() => {
      node.answers.set(`${CORE}.balanceOf`, () => ({ value: 2n * BigInt(node.head()) }))
      node.answers.set(`${CORE}.shortOf`, { value: 1n })
    })

    it('are those of the newest block: who has just filled asks what it has now', async () => {
      const held = 2n * BigInt(node.head())
      expect(await chain.positions(WALLET, [SERIES_ID])).toEqual([{ seriesId: SERIES_ID, long: held, short: 1n }])
      node.mine()
      expect(await chain.positions(WALLET, [SERIES_ID])).toEqual([{ seriesId: SERIES_ID, long: held + 2n, short: 1n }])
    })

    it('are read once a block for all who ask', async () => {
      await Promise.all(Array.from({ length: 20 }, () => chain.positions(WALLET, [SERIES_ID])))
      await chain.positions(WALLET, [SERIES_ID])
      expect(calls('eth_call')).toBe(1)
    })
  })

  describe('a series', () => {
    it('is null when the core does not know its id', async () => {
      node.answers.set(`${CORE}.getSeries`, { reverts: 'SeriesUnknown', args: [BigInt(SERIES_ID)] })
      expect(await chain.series(SERIES_ID, 'latest')).toBeNull()
      expect(calls('eth_call')).toBe(1)
    })

    it('has its price once it is settled', async () => {
      node.answers.set(`${CORE}.getSeries`, { value: { ...STATE, settled: true, resolutionBps: 59, finalAt: 77n } })
      expect(await chain.series(SERIES_ID, 'latest')).toEqual({
        expiry: TERMS.expiry,
        halted: false,
        resolutionBps: 59,
        finalAt: 77,
        room: STATE.openInterestCap,
      })
    })

    it('says how many options more may be open in it', async () => {
      node.answers.set(`${CORE}.getSeries`, { value: { ...STATE, openInterest: 60n, openInterestCap: 64n } })
      expect(await chain.series(SERIES_ID, 'latest')).toMatchObject({ room: 4n })
    })

    it('says that its price was taken back', async () => {
      node.answers.set(`${CORE}.getSeries`, { value: { ...STATE, vetoed: true } })
      const series = { expiry: TERMS.expiry, halted: false, resolutionBps: null, vetoed: true }
      expect(await chain.series(SERIES_ID, 'latest')).toEqual({ ...series, room: STATE.openInterestCap })
    })

    it('is unsettled with a price of null, not of zero', async () => {
      node.answers.set(`${CORE}.getSeries`, { value: { ...STATE, halted: true } })
      expect(await chain.series(SERIES_ID, 'latest')).toMatchObject({ halted: true, resolutionBps: null })
    })

    it('may be a few seconds old when cached, also one that there is not', async () => {
      node.answers.set(`${CORE}.getSeries`, { reverts: 'SeriesUnknown', args: [BigInt(SERIES_ID)] })
      expect(await chain.series(SERIES_ID, 'cached')).toBeNull()
      node.answers.set(`${CORE}.getSeries`, { value: STATE })
      expect(await chain.series(SERIES_ID, 'cached')).toBeNull()
      expect(await chain.series(SERIES_ID, 'latest')).not.toBeNull()
      expect(await chain.series(SERIES_ID, 'cached')).not.toBeNull()
    })

    it('is refused with chain_unavailable when the core reverts for another reason', async () => {
      node.answers.set(`${CORE}.getSeries`, { reverts: 'AmountZero' })
      await expect(chain.series(SERIES_ID, 'latest')).rejects.toMatchObject({ code: 'chain_unavailable' })
    })

    it.each([
      ['nothing', '0x'],
      ['too little', `0x${'00'.repeat(32)}`],
    ] as const)('is refused with chain_unavailable when the code at the address answers %s', async (_, raw) => {
      node.answers.set(`${CORE}.getSeries`, { raw })
      await expect(chain.series(SERIES_ID, 'latest')).rejects.toMatchObject({ code: 'chain_unavailable' })
    })
  })

  it('tells whose attestations the core believes', async () => {
    node.answers.set(`${CORE}.resolutionSigner`, { value: WALLET })
    expect(await chain.resolutionSigner('latest')).toBe(WALLET)
  })

  it.each([
    ['takes the signature', { raw: `0x1626ba7e${'00'.repeat(28)}` }, true],
    ['says no', { raw: `0xffffffff${'00'.repeat(28)}` }, false],
    ['reverts', { reverts: null }, false],
    ['has no code', { raw: '0x' }, false],
  ] as const)('tells whether a contract takes a signature for its own: one that %s', async (_, answer, takes) => {
    node.answers.set(`${SIGNER_CONTRACT}.isValidSignature`, answer)
    const claim = {
      contract: SIGNER_CONTRACT,
      digest: `0x${'11'.repeat(32)}`,
      signature: `0x${'22'.repeat(65)}`,
    } as const
    expect(await chain.takesSignature(claim)).toBe(takes)
  })

  it('tells which keys sign together for a contract, as it names them, and how many', async () => {
    const keys = [WALLET, SIGNER_CONTRACT]
    node.answers.set(`${SIGNER_CONTRACT}.getOwners`, { value: keys })
    node.answers.set(`${SIGNER_CONTRACT}.getThreshold`, { value: 2n })
    expect(await chain.quorumOf(SIGNER_CONTRACT, 'latest')).toEqual({ keys, threshold: 2 })
    for (const threshold of [0n, 3n]) {
      node.answers.set(`${SIGNER_CONTRACT}.getThreshold`, { value: threshold })
      expect(await chain.quorumOf(SIGNER_CONTRACT, 'latest')).toBeNull()
    }
    const many = Array.from({ length: 65 }, () => WALLET)
    node.answers.set(`${SIGNER_CONTRACT}.getOwners`, { value: many })
    node.answers.set(`${SIGNER_CONTRACT}.getThreshold`, { value: 2n })
    expect(await chain.quorumOf(SIGNER_CONTRACT, 'latest')).toBeNull()
  })

  it.each([
    ['reverts', { reverts: null }],
    ['has no code', { raw: '0x' }],
  ] as const)('tells of no keys of a signer that %s', async (_, answer) => {
    node.answers.set(`${SIGNER_CONTRACT}.getOwners`, answer)
    node.answers.set(`${SIGNER_CONTRACT}.getThreshold`, answer)
    expect(await chain.quorumOf(SIGNER_CONTRACT, 'latest')).toBeNull()
  })

  it('tells until when a key signs for a wallet that has authorised it', async () => {
    const asked = vi.fn((_: readonly unknown[]) => ({ value: 1_800_000_100n }))
    node.answers.set(`${SETTLEMENT}.signerUntil`, asked)
    expect(await chain.authorizedUntil(WALLET, CORE)).toBe(1_800_000_100n)
    expect(asked).toHaveBeenCalledExactlyOnceWith([WALLET, CORE])
  })

  it('tells whether a nonce of a maker is used, with the funds in one call of the node', async () => {
    node.answers.set(`${SETTLEMENT}.isNonceUsed`, ([maker, nonce]) => ({ value: maker === WALLET && nonce === 9n }))
    expect([await chain.isNonceUsed(WALLET, 9), await chain.isNonceUsed(WALLET, 8)]).toEqual([true, false])
    const before = calls('eth_call')
    node.answers.set(`${STABLECOIN}.balanceOf`, { value: 1n })
    node.answers.set(`${STABLECOIN}.allowance`, { value: 1n })
    await Promise.all([chain.isNonceUsed(WALLET, 9), chain.funds(WALLET, 'core', 'latest')])
    expect(calls('eth_call')).toBe(before + 1)
  })

  describe('until when a signature counts', () => {
    const SIGNATURE = `0x${'5e'.repeat(4_096)}` as const
    const order: Order = {
      maker: WALLET,
      seriesId: SERIES_ID,
      optionAmount: contracts(7n),
      premiumAmount: usd6(8n),
      makerSelling: true,
      taker: CORE,
      validUntil: 1_800_000_100,
      nonce: 9,
    }
    const signedUntil = async () => chain.signedUntil(order, SIGNATURE)

    it('is what the settlement says of that very order and its bytes', async () => {
      const asked = vi.fn((_: readonly unknown[]) => ({ value: 2n ** 256n - 1n }))
      node.answers.set(`${SETTLEMENT}.signedUntil`, asked)
      expect(await signedUntil()).toBe(2n ** 256n - 1n)
      expect(asked).toHaveBeenCalledExactlyOnceWith([contractOrder(order), SIGNATURE])
    })

    it('is asked in a call of its own, of bounded gas, with which no other read of that turn shares anything', async () => {
      node.answers.set(`${SETTLEMENT}.signedUntil`, { value: 5n })
      node.answers.set(`${STABLECOIN}.balanceOf`, { value: 1n })
      node.answers.set(`${STABLECOIN}.allowance`, { value: 1n })
      await Promise.all([signedUntil(), chain.funds(WALLET, 'core', 'latest'), signedUntil()])
      const gas = node.requests.filter(({ method }) => method === 'eth_call').map(({ params }) => params[0])
      expect(gas.map((call) => (call as { gas?: string }).gas).toSorted()).toEqual(['0xf4240', '0xf4240', undefined])
    })

    it.each([
      ['reverts', { reverts: null }],
      ['has no such function', { raw: '0x' }],
    ] as const)('is never where the settlement %s, which is not asked twice', async (_, answer) => {
      node.answers.set(`${SETTLEMENT}.signedUntil`, answer)
      expect(await signedUntil()).toBe(0n)
      expect(calls('eth_call')).toBe(1)
    })

    it('is not known while the node is down', async () => {
      node.faults = [down(), down(), down()]
      await expect(signedUntil()).rejects.toMatchObject({ code: 'chain_unavailable' })
    })
  })

  it('asks the node in one call for all that is read at the same moment', async () => {
    node.answers.set(`${STABLECOIN}.balanceOf`, { value: 7_000_000n })
    node.answers.set(`${STABLECOIN}.allowance`, { value: 5_000_000n })
    node.answers.set(`${CORE}.getSeries`, { reverts: 'SeriesUnknown', args: [BigInt(SERIES_ID)] })
    const [funds, others, series] = await Promise.all([
      chain.funds(WALLET, 'core', 'latest'),
      chain.funds(CORE, 'core', 'latest'),
      chain.series(SERIES_ID, 'latest'),
    ])
    expect(funds).toEqual({ balance: 7_000_000n, allowance: 5_000_000n })
    expect(others).toEqual(funds)
    expect(series).toBeNull()
    expect(calls('eth_call')).toBe(1)
  })

  it('reads what a wallet has of a series with its funds, in one call, of which that is 270 bytes', async () => {
    node.answers.set(`${STABLECOIN}.balanceOf`, { value: 7_000_000n })
    node.answers.set(`${STABLECOIN}.allowance`, { value: 5_000_000n })
    node.answers.set(`${CORE}.balanceOf`, { value: 12n })
    node.answers.set(`${CORE}.shortOf`, { value: 3n })
    node.answers.set(`${CORE}.isApprovedForAll`, { value: true })
    const bytesOf = () => {
      const params = node.requests.findLast(({ method }) => method === 'eth_call')?.params ?? []
      const { data } = params[0] as { data: string }
      return (data.length - 2) / 2
    }
    await chain.funds(WALLET, 'core', 'latest')
    const alone = bytesOf()
    const [, inventory] = await Promise.all([
      chain.funds(WALLET, 'core', 'latest'),
      chain.inventory(WALLET, SERIES_ID, 'latest'),
    ])
    expect(inventory).toEqual({ long: 12n, short: 3n, isApproved: true })
    expect(calls('eth_call')).toBe(2)
    expect(bytesOf() - alone).toBe(270)
    const block = { block: 1, hash: `0x${'ab'.repeat(32)}` } as const
    expect(await chain.inventoryAt([{ wallet: WALLET, seriesId: SERIES_ID }], block)).toEqual([inventory])
  })

  it('reads funds of several wallets in one block, and each of them once', async () => {
    const asked: unknown[] = []
    node.answers.set(`${STABLECOIN}.balanceOf`, { value: 7_000_000n })
    node.answers.set(`${STABLECOIN}.allowance`, { value: 5_000_000n })
    const block = { block: 1, hash: `0x${'ab'.repeat(32)}` } as const
    const wallets = [
      { wallet: WALLET, spender: 'core' },
      { wallet: CORE, spender: 'settlement' },
    ] as const
    const funds = { balance: 7_000_000n, allowance: 5_000_000n }
    expect(await chain.fundsAt(wallets, block)).toEqual([funds, funds])
    expect(await chain.fundsAt(wallets, block)).toEqual([funds, funds])
    asked.push(...node.requests.filter(({ method }) => method === 'eth_call').map(({ params }) => params[1]))
    expect(asked).toEqual([{ blockHash: block.hash, requireCanonical: true }])
  })
})
