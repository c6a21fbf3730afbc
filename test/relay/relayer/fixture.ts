import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { GaslessFill } from '../../../src/protocol/domain/gasless-fill.ts'
import { type Order, orderDigest, orderDomain } from '../../../src/protocol/domain/order.ts'
import { type Address, contracts, type Hex, usd6 } from '../../../src/protocol/domain/units.ts'
import type { FillChain, RelayerMeter, RelayerSettings, SentFill } from '../../../src/relay/relayer/ports.ts'
import { createRelayer, type Relayer } from '../../../src/relay/relayer/relayer.ts'
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts'
import { createFakeLog, type FakeLog } from '../../support/fake-log.ts'

export const NOW = Date.UTC(2026, 0, 1)
const NOW_S = NOW / 1_000
const MAKER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const TAKER: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
export const RECIPIENT: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
export const STRANGER: Address = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const SETTLEMENT: Address = '0x00000000000000000000000000000000000000A1'
const GWEI = 10n ** 9n

const SETTINGS: RelayerSettings = {
  chainId: 31_337,
  settlementAddress: SETTLEMENT,
  feeRecipient: RECIPIENT,
  fee: usd6(50_000n),
  coinPrice: null,
  maxGas: 1_000_000n,
  maxGasPrice: 100n * GWEI,
  maxCoinPerDay: 10n ** 18n,
  maxFillsPerHour: 100,
  maxFillsPerClient: 10,
  maxQueue: 4,
}

export const hashOf = (order: Order): Hex => orderDigest(order, orderDomain(SETTINGS.chainId, SETTLEMENT))

/** A fill that anything is right with, by a permit. */
export function fillOf({
  order: orderFields = {},
  payment = {},
  authorization = {},
  ...rest
}: {
  order?: Partial<Order>
  payment?: Partial<GaslessFill['payment']>
  authorization?: Partial<GaslessFill['authorization']>
} & Partial<Pick<GaslessFill, 'makerSignature' | 'takerSignature'>> = {}): GaslessFill {
  const order: Order = {
    maker: MAKER,
    seriesId: '7',
    optionAmount: contracts(100n),
    premiumAmount: usd6(12_000_000n),
    makerSelling: true,
    taker: TAKER,
    validUntil: NOW_S + 120,
    nonce: 1,
    ...orderFields,
  }
  const deadline = NOW_S + 100
  return {
    order,
    makerSignature: `0x${'11'.repeat(65)}`,
    payment: {
      method: 'permit',
      value: usd6(12_050_000n),
      nonce: 0n,
      deadline,
      signature: `0x${'22'.repeat(65)}`,
      ...payment,
    },
    authorization: {
      orderHash: hashOf(order),
      maxFee: usd6(50_000n),
      feeRecipient: RECIPIENT,
      deadline,
      partnerFee: null,
      ...authorization,
    },
    takerSignature: `0x${'33'.repeat(65)}`,
    ...rest,
  }
}

/** What a test says of the chain, and what was done on it. */
export type FakeFillChain = FillChain & {
  gas: bigint
  gasPrice: bigint
  coin: bigint
  /** What trials are refused with. */
  refusal: RfqError | null
  /** Orders that are filled, by the hash of the transaction. */
  filled: Map<number, Hex>
  simulated: number
  sent: { nonce: number; fee: bigint }[]
  /** Transactions that wait to be mined; empty once `mine` has ended them. */
  pending: ((how: SentFill | RfqError) => void)[]
  /** Whether transactions are mined at once. */
  isQuick: boolean
}

export const TRANSACTION: Hex = `0x${'aa'.repeat(32)}`
export const COST = 300_000n * 30n * GWEI

/** What a fill that is mined comes to. */
export const mined = (isFilled = true): SentFill => ({
  kind: 'mined',
  isFilled,
  transactionHash: TRANSACTION,
  cost: COST,
})

export const refused = (contractError: string): RfqError =>
  new RfqError('fill_refused', { detail: 'It refuses.', data: { reason: 'code', contractError } })

function createFakeFillChain(clock: FakeClock): FakeFillChain {
  const chain: FakeFillChain = {
    address: STRANGER,
    gas: 300_000n,
    gasPrice: 30n * GWEI,
    coin: 10n ** 18n,
    refusal: null,
    filled: new Map(),
    simulated: 0,
    sent: [],
    pending: [],
    isQuick: true,
    time: async () => Math.floor(clock.now() / 1_000),
    purse: async () => ({ gasPrice: chain.gasPrice, coin: chain.coin }),
    simulate: async ({ fill }) => {
      chain.simulated += 1
      if (chain.filled.has(fill.order.nonce)) throw refused('NonceUsed')
      if (chain.refusal !== null) throw chain.refusal
      return chain.gas
    },
    send: async ({ fill, fee }, { onSent, signal }) => {
      chain.sent.push({ nonce: fill.order.nonce, fee })
      onSent(TRANSACTION)
      const settled = chain.isQuick
        ? mined()
        : await new Promise<SentFill | RfqError>((resolve) => {
            chain.pending.push(resolve)
            signal.addEventListener('abort', () => resolve({ kind: 'unmined' }))
          })
      if (settled instanceof RfqError) throw settled
      if (settled.kind === 'mined' && settled.isFilled) chain.filled.set(fill.order.nonce, TRANSACTION)
      return settled
    },
    fillOf: async ({ nonce }) => chain.filled.get(nonce) ?? null,
  }
  return chain
}

/** A relayer over a chain that a test sets, with what it logs and counts. */
export type TestRelayer = {
  relayer: Relayer
  chain: FakeFillChain
  clock: FakeClock
  log: FakeLog
  counted: string[]
}

export function createTestRelayer(settings: Partial<RelayerSettings> = {}): TestRelayer {
  const clock = createFakeClock(NOW)
  const log = createFakeLog()
  const chain = createFakeFillChain(clock)
  const counted: string[] = []
  const meter: RelayerMeter = {
    submitted: () => counted.push('submitted'),
    refused: (code) => counted.push(code),
    ended: (how) => counted.push(how),
    paid: (cost) => counted.push(`${cost}`),
  }
  const relayer = createRelayer({ settings: { ...SETTINGS, ...settings }, chain, clock, log, meter })
  return { relayer, chain, clock, log, counted }
}
