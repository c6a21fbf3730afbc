import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { TestChain } from '../../kit/chain.ts'
import { keep } from '../../kit/keep.ts'
import { compileTs } from '../../support/compile-ts.ts'
import type { Facts } from '../lab/target.ts'
import type { Made, Orders } from './attackers.ts'

/** Attackers in processes of their own. */
export type Army = {
  /** Ends all attacks, and tells what came of them. */
  stop: () => Promise<readonly Made[]>
}

/** How many processes attack, and how long one of them may take to say what it did. */
const PROCESSES = 2
const REPORT_MS = 60_000

/**
 * What all of them may use of one core. They run at the priority of the relay, as attackers in the world do, who have machines of their
 * own; here they would else take the core from it. With 0.12 they make some 280 attacks in 45 s, and keep the relay at 40 % of a
 * core; with 0.5 a thousand, at which relay, node and attackers share two cores that are full, and a commit waits five times as long.
 */
const SHARE = Number(process.env.RFQCTL_HOSTILE_SHARE ?? 0.12)

/** What the wallet of each process has, in micro-dollars. */
const BANK = 1_000_000_000_000_000n

/** Starts all attacks on a relay, with money for their makers and takers. */
export async function startArmy(facts: Facts, chain: TestChain): Promise<Army> {
  const { script, remove } = await compileTs(fileURLToPath(new URL('./attackers.ts', import.meta.url)))
  const soldiers: ChildProcess[] = []
  for (let share = 0; share < PROCESSES; share += 1) {
    const bankKey = generatePrivateKey()
    const bank = privateKeyToAccount(bankKey).address
    await chain.giveGas(bank)
    await chain.mint(bank, BANK)
    const soldier = fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    keep(() => soldier.kill('SIGKILL'))
    const orders: Orders = { facts, share, of: PROCESSES, core: SHARE / PROCESSES, bankKey }
    soldier.send(orders)
    await once(soldier, 'message')
    soldiers.push(soldier)
  }
  return {
    stop: async () => {
      const reports = await Promise.all(soldiers.map(report))
      await remove()
      return reports.flat()
    },
  }
}

async function report(soldier: ChildProcess): Promise<readonly Made[]> {
  if (soldier.exitCode !== null || soldier.signalCode !== null) return []
  const timer = setTimeout(() => soldier.kill('SIGKILL'), REPORT_MS)
  const reported = Promise.race([
    once(soldier, 'message').then(([made]) => made as Made[]),
    once(soldier, 'exit').then(() => []),
  ])
  if (soldier.connected) soldier.send('stop')
  const made = await reported
  clearTimeout(timer)
  return made
}
