import { setTimeout as wait } from 'node:timers/promises'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Address, Hex } from '../../../src/protocol/domain/units.ts'
import { createMaker, type Maker } from '../../kit/maker.ts'
import { SOAKED } from '../attacks/catalogue.ts'
import type { Stranger } from '../lab/stranger.ts'
import { createTarget, type Facts, type Target } from '../lab/target.ts'
import { keepToShare } from './share.ts'

/** What a process of attackers is told: the relay, its share of the attacks and of a core, and where its money is. */
export type Orders = { facts: Facts; share: number; of: number; core: number; bankKey: Hex }

/** What came of one attack: how often it was made, and how often something did not hold that it looks for. */
export type Made = { holds: string; runs: number; faults: number; last: string | null }

/** How many makers attack from one process, and what each of them and each taker has, in micro-dollars. */
const MAKERS = 60
const PURSE = 1_000_000_000n

/** The longest rest between two runs of an attack, in milliseconds. */
const REST_MS = 500

/** Makes every attack of its share, all of them at once, again and again until told to stop. */
async function attack({ facts, share, of, core, bankKey }: Orders): Promise<void> {
  const made: Made[] = []
  let isOver = false
  process.on('message', () => {
    isOver = true
    process.send?.(made, () => process.exit(0))
  })
  process.on('disconnect', () => process.exit(1))
  // What an attack began and gave up when it failed is no reason to end all others.
  process.on('unhandledRejection', () => {})
  process.on('uncaughtException', () => {})
  const target = await equip(createTarget(facts, 2 + share), share, of, bankKey)
  const mine = SOAKED.filter((_, n) => n % of === share)

  async function repeat({ holds, run }: (typeof SOAKED)[0]): Promise<void> {
    const tally: Made = { holds, runs: 0, faults: 0, last: null }
    made.push(tally)
    while (!isOver) {
      const present: Stranger[] = []
      const stranger = () => {
        const one = target.stranger()
        present.push(one)
        return one
      }
      await run({ ...target, stranger }).catch((fault) => {
        tally.faults += 1
        tally.last = String(fault).slice(0, 300)
      })
      tally.runs += 1
      for (const { close } of present) close()
      await wait(Math.random() * REST_MS)
    }
  }
  process.send?.('ready')
  keepToShare(core)
  await Promise.all(mine.map(repeat))
}

/** A target whose makers and takers have their money from a bank, and whose makers come again and again. */
async function equip(target: Target, share: number, of: number, bankKey: Hex): Promise<Target> {
  const { service, ready, keys } = target
  const chain = service.chain as NonNullable<typeof service.chain>
  const bank = privateKeyToAccount(bankKey)
  let last: Promise<unknown> = Promise.resolve()
  /** One transfer after the other: a wallet counts what it sends. */
  function pay(to: Address): Promise<void> {
    const paid = last.catch(() => {}).then(() => chain.transfer(bank, to, PURSE))
    last = paid
    return paid
  }
  const fund = async (wallet: PrivateKeyAccount): Promise<void> => {
    await Promise.all([pay(wallet.address), chain.giveGas(wallet.address)])
    await chain.approveAll(wallet)
  }
  const own = keys.filter((_, n) => n % of === share).slice(0, MAKERS)
  const makers = own.map((key) => ({
    maker: createMaker(ready, key, service.wallet()),
    funded: null as Promise<void> | null,
  }))
  let next = 0
  const maker = async ({ funded = true } = {}): Promise<Maker> => {
    const one = makers[next++ % makers.length] as (typeof makers)[0]
    if (funded) {
      one.funded ??= fund(one.maker.wallet)
      await one.funded
    }
    return one.maker
  }
  return { ...target, maker, service: { ...service, fund, maker } }
}

process.once('message', (orders: Orders) => void attack(orders))
