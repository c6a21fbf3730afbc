import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTakerClient } from '../../src/client/taker.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { totalProfit } from '../../src/protocol/domain/trade-history.ts'
import { createTraderOpener } from '../../src/web/trade/open-trader.ts'
import type { Storage, TradePorts } from '../../src/web/trade/ports.ts'
import { positionRows, windowView } from '../../src/web/trade/position-view.ts'
import { openSandboxAccount } from '../../src/web/trade/sandbox-account.ts'
import { createTradeSession, type TradeSession } from '../../src/web/trade/session.ts'
import { activeTrade } from '../../src/web/trade/trade-view.ts'
import { createWallets } from '../../src/web/trade/wallets.ts'
import { type BrowserWorld, startWorld } from '../browser/support/world.ts'
import { createFakeAttention } from './trade/fake-world.ts'

let world: BrowserWorld
let session: TradeSession
const stored = new Map<string, string>()

const storage: Storage = {
  keys: () => [...stored.keys()],
  read: (key) => stored.get(key) ?? null,
  write: (key, text) => void stored.set(key, text),
  remove: (key) => void stored.delete(key),
  onChange: () => () => {},
}

/** A page as a browser has it, but for its looks. */
function open(): TradeSession {
  const ports: TradePorts = {
    clock: systemClock,
    frames: systemClock,
    storage,
    attention: createFakeAttention(),
    history: { now: () => ({ path: '/', place: null }), push: () => {}, replace: () => {}, onChange: () => () => {} },
    wallets: createWallets({
      window: new EventTarget(),
      injected: undefined,
      openSandboxAccount: async () => openSandboxAccount(storage),
      sandboxRpcUrl: `${world.url}/sandbox/rpc`,
    }),
    openTrader: createTraderOpener({ url: world.url }),
    openRelayer: () => {
      throw new Error('there is no relayer')
    },
  }
  return createTradeSession(ports)
}

const state = () => session.store.get()
const phase = () => activeTrade(state())?.phase
const standing = () => state().wallet.standing

/** Buys or sells what the ticket says, until it has come so far. */
async function trade(end: 'filled' | 'committed' = 'filled'): Promise<string> {
  session.act.ask()
  await expect.poll(phase).toBe('racing')
  const requestId = activeTrade(state())?.requestId ?? ''
  session.act.commit(requestId)
  await expect
    .poll(() => `${phase()} ${activeTrade(state())?.failure?.code ?? ''}`)
    .toMatch(end === 'filled' ? /^filled/ : /^committed payment/)
  return requestId
}

beforeAll(async () => {
  world = await startWorld()
  for (const index of [0, 1]) world.runMaker(index)
  session = open()
})

afterAll(async () => {
  session.close()
  await world.close()
})

it('a page goes from the faucet to a claim by its session alone, and the chain agrees', async () => {
  await expect.poll(() => state().wallet.offers.map(({ id }) => id)).toContain('sandbox')
  session.act.connect('sandbox')
  await expect.poll(() => standing().kind).toBe('connected')
  session.act.requestFunds()
  await expect.poll(() => state().tasks.faucet?.kind).toBe('done')
  await expect.poll(() => state().wallet.funds?.stablecoin ?? 0n).toBeGreaterThan(0n)
  expect(state().wallet.funds?.coin).toBeGreaterThan(0n)

  session.act.edit({ budgetText: '100' })
  const bought = await trade()
  const signed = state().trades.find(({ request }) => request.requestId === bought)?.stage
  if (signed?.kind !== 'filled' || signed.commitment.onchain === null) throw new Error('it is not filled')
  const { seriesId, optionAmount, premiumAmount } = signed.commitment.onchain.order
  await expect.poll(() => positionRows(state())?.[0]?.long).toBe(optionAmount)
  await expect.poll(() => positionRows(state())?.[0]?.cost).toBe(premiumAmount)

  // Part of it is sold again by what the page offers, all of it.
  // The request is blind, and not for a maker that there is not.
  session.act.choosePrivacy({ isBlind: true, exceptMakers: ['nobody'] })
  session.act.close(seriesId)
  await expect.poll(() => activeTrade(state())?.record.purpose).toBe('close')
  await expect.poll(phase).toBe('racing')
  session.act.commit(state().activeTradeId ?? '')
  await expect.poll(phase).toBe('filled')
  expect(activeTrade(state())?.record.request.terms).toMatchObject({
    wallet: null,
    blindWallet: expect.stringMatching(/^0x/),
    audience: { kind: 'except', makers: ['nobody'] },
  })
  await expect.poll(() => positionRows(state())).toEqual([])

  session.act.showTicket('panel')
  session.act.edit({ side: 'sell', sizeText: '50', payBy: 'permit' })
  await trade()
  await expect.poll(() => positionRows(state())?.[0]?.short).toBe(50n)
  session.act.choosePreset('call-spread')
  session.act.edit({ side: 'buy', budgetText: '40', payBy: 'authorization' })
  const unpaid = await trade('committed')
  expect(activeTrade(state())?.failure?.message).toBe('The stablecoin takes no authorizations (EIP-3009).')
  session.act.fill(unpaid, 'approve')
  await expect.poll(phase).toBe('filled')
  await expect.poll(() => positionRows(state())?.length).toBe(2)

  // A reload: the wallet and the trades are as they were.
  session.close()
  session = open()
  await expect.poll(() => standing().kind).toBe('connected')
  expect(state().trades).toHaveLength(4)
  await expect.poll(() => positionRows(state())?.length).toBe(2)

  session.act.warpTo()
  await expect.poll(() => state().tasks.warp?.kind).toBe('done')
  await expect.poll(() => positionRows(state())?.map(({ next }) => next)).toEqual(['settle', 'settle'])
  const ids = positionRows(state())?.map((row) => row.seriesId) ?? []
  // One price settles both: they are of one market and expiry.
  session.act.settle(ids[0] ?? '')
  await expect.poll(() => state().tasks[`settle:${ids[0]}`]?.kind).toBe('done')
  await expect.poll(() => positionRows(state())?.some(({ next }) => next === 'settle')).toBe(false)
  session.act.watchWindow(ids[0] ?? null)
  await expect.poll(() => windowView(state(), ids[0] ?? '')?.points.length ?? 0).toBeGreaterThan(0)
  const finalAt = Math.max(...(state().series ?? []).map((each) => each.finalAt ?? 0))
  if (positionRows(state())?.some(({ next }) => next === 'wait')) session.act.warpTo(finalAt + 1)
  await expect
    .poll(() => positionRows(state())?.every(({ next }) => next === 'claim' || next === 'worthless'))
    .toBe(true)
  const due = positionRows(state())?.filter(({ next }) => next === 'claim') ?? []
  const before = state().wallet.funds?.stablecoin ?? 0n
  const claimable = due.reduce((sum, row) => sum + row.claimable, 0n)
  for (const { seriesId: id } of due) session.act.claim(id)
  await expect
    .poll(() => due.map(({ seriesId: id }) => state().tasks[`claim:${id}`]?.kind))
    .toEqual(due.map(() => 'done'))
  const address = standing().kind === 'connected' ? (standing() as { address: `0x${string}` }).address : null
  const chain = createTakerClient({ url: world.url, account: address ?? '0x', chain: world.chain })
  expect(await chain.getBalance()).toBe(before + claimable)

  // Any browser has the history, from the chain alone, and it adds up to the micro-dollar.
  session.act.watchHistory(true)
  await expect.poll(() => state().history?.trades.length).toBe(3)
  const { trades = [], isComplete, csv } = state().history ?? {}
  expect(isComplete).toBe(true)
  const paid = state().environment?.faucet?.amount ?? 0n
  expect(totalProfit(trades)).toBe((await chain.getBalance()) - paid)
  expect(csv?.split('\r\n')).toHaveLength(1 + trades.length)
})
