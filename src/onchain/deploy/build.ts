import { setTimeout as delay } from 'node:timers/promises'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import {
  keccak256,
  type LocalAccount,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import type { Blueprint } from './blueprint.ts'
import { callOf, type Planned } from './creation.ts'
import type { Deployment } from './inspect.ts'
import { remainingWork, type Site, type Work } from './plan.ts'
import { DeploymentError, type DeploymentRecord, type SentWork } from './record.ts'
import { surveySite } from './survey.ts'

export type BuildNews =
  | { kind: 'sent'; work: Work; hash: Hex }
  | { kind: 'mined'; work: Work; hash: Hex; gasUsed: bigint; addresses: readonly Address[] }

export type Builder = {
  client: PublicClient
  account: LocalAccount
  record: DeploymentRecord
  /** Saves the record; returns before the transaction that it names is sent. */
  keep: (record: DeploymentRecord) => void
  onNews?: (news: BuildNews) => void
  /** Longest wait of a transaction for a block, milliseconds. */
  patienceMs?: number
  signal?: AbortSignal | undefined
}

/** Some ten blocks of a busy chain. */
const PATIENCE_MS = 120_000

/** Nodes accept a replacement only if both fees rise by at least a tenth. */
const RAISE_PERCENT = 25n

/** Estimates are exact on most nodes; a margin costs nothing, as unused gas is refunded. */
const GAS_MARGIN_PERCENT = 20n

type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/**
 * Finishes a deployment, one transaction after another, and returns the contracts' addresses. After an interruption,
 * call it again with the record that was saved last. Rejects with `DeploymentError`.
 */
export async function build(builder: Builder): Promise<Deployment> {
  const { client, keep, onNews = () => {}, patienceMs = PATIENCE_MS, signal } = builder
  let { record } = builder
  let minedBlock = 0n
  let failed = null as { work: Work; hash: Hex } | null
  const { blueprint, salt, deployment } = record

  for (;;) {
    signal?.throwIfAborted()
    const site = await surveySite(client, { blueprint, salt, atLeast: minedBlock })
    const waits = site.waiting > 0
    const own = record.sent.filter(({ nonce }) => nonce === site.nonce)
    if (waits && own.length === 0) throw new DeploymentError('busy', busyText(blueprint, site))
    if (waits && (await settled(own))) continue
    const [work] = remainingWork(blueprint, site)
    if (work === undefined) return addressesOf(deployment)
    // It also reverts where a stranger had the proxy make the very same contract first.
    if (failed?.work === work)
      throw new DeploymentError('reverted', `transaction ${failed.hash} (${work}) was mined and reverted`)
    const sent = await send({ work, ...site }, waits ? own : [])
    onNews({ kind: 'sent', work, hash: sent.hash })
    if (!(await settled(record.sent.filter(({ nonce }) => nonce === site.nonce)))) {
      throw new DeploymentError('unmined', `transaction ${sent.hash} is not mined yet`)
    }
  }

  /** Signs, saves, and only then sends, so that every sent transaction is known after a crash. */
  async function send(
    { work, nonce, block }: Pick<Site, 'nonce' | 'block'> & { work: Work },
    before: readonly SentWork[],
  ): Promise<SentWork> {
    const call = callOf(work, { blueprint, salt })
    const [gas, now] = await Promise.all([
      // Not as of the pending block, where what is replaced has made the contract already.
      client.estimateGas({ account: blueprint.deployer, blockNumber: block, ...call }),
      client.estimateFeesPerGas(),
    ])
    const fees = before.reduce<Fees>(raisedAbove, now)
    const serializedTransaction = await builder.account.signTransaction({
      ...call,
      chainId: blueprint.chainId,
      type: 'eip1559',
      nonce,
      gas: (gas * (100n + GAS_MARGIN_PERCENT)) / 100n,
      ...fees,
    })
    const hash = keccak256(serializedTransaction)
    const sent = {
      nonce,
      work,
      hash,
      maxFeePerGas: `${fees.maxFeePerGas}`,
      maxPriorityFeePerGas: `${fees.maxPriorityFeePerGas}`,
    }
    record = { ...record, sent: [...record.sent, sent] }
    keep(record)
    await client.sendRawTransaction({ serializedTransaction }).catch(async (fault: unknown) => {
      // A send whose answer was lost may have arrived all the same.
      if (
        !(await client.getTransaction({ hash }).then(
          () => true,
          () => false,
        ))
      )
        throw fault
    })
    return sent
  }

  /** Whether one of the transactions of a nonce was mined in time. Rejects if it failed. */
  async function settled(sent: readonly SentWork[]): Promise<boolean> {
    for (let waited = 0; ; waited += client.pollingInterval) {
      const receipt = await receiptOf(sent)
      if (receipt !== null) return tell(sent, receipt)
      if (waited >= patienceMs) return false
      signal?.throwIfAborted()
      await delay(client.pollingInterval)
    }
  }

  async function receiptOf(sent: readonly SentWork[]): Promise<TransactionReceipt | null> {
    const receipts = await Promise.all(
      sent.map(({ hash }) => client.getTransactionReceipt({ hash }).catch(nullIfNotMined)),
    )
    return receipts.find((receipt) => receipt !== null) ?? null
  }

  function tell(sent: readonly SentWork[], receipt: TransactionReceipt): true {
    const { transactionHash: hash, status, gasUsed } = receipt
    const work = sent.find((each) => each.hash === hash)?.work ?? 'stablecoin'
    minedBlock = receipt.blockNumber
    failed = status === 'reverted' ? { work, hash } : null
    if (failed === null) onNews({ kind: 'mined', work, hash, gasUsed, addresses: createdBy(work, deployment) })
    return true
  }
}

const addressesOf = ({ stablecoinAddress, coreAddress, settlementAddress }: Planned): Deployment => ({
  stablecoinAddress,
  coreAddress,
  settlementAddress,
})

function createdBy(
  work: Work,
  { stablecoinAddress, factoryAddress, coreAddress, settlementAddress }: Planned,
): readonly Address[] {
  if (work === 'stablecoin') return [stablecoinAddress]
  return work === 'factory' ? [factoryAddress] : [coreAddress, settlementAddress]
}

const busyText = ({ deployer }: Blueprint, { waiting }: Site): string =>
  `the deployer ${deployer} has ${waiting} pending ${waiting === 1 ? 'transaction' : 'transactions'} outside this deployment`

/** Fees high enough to replace a waiting transaction. */
const raisedAbove = (fees: Fees, waiting: SentWork): Fees => ({
  maxFeePerGas: higher(fees.maxFeePerGas, raised(waiting.maxFeePerGas)),
  maxPriorityFeePerGas: higher(fees.maxPriorityFeePerGas, raised(waiting.maxPriorityFeePerGas)),
})

function nullIfNotMined(fault: unknown): null {
  if (fault instanceof TransactionReceiptNotFoundError) return null
  throw fault
}

const raised = (fee: string): bigint => (BigInt(fee) * (100n + RAISE_PERCENT)) / 100n + 1n

const higher = (a: bigint, b: bigint): bigint => (a > b ? a : b)
