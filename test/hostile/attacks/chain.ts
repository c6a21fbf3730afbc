import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { generatePrivateKey, type PrivateKeyAccount } from 'viem/accounts'
import { askedToSign, createMaker } from '../../kit/maker.ts'
import { newWallet } from '../../kit/service.ts'
import type { Attack } from '../lab/attack.ts'
import { flood } from '../lab/flood.ts'
import { startSigner } from '../lab/signer.ts'
import { only, openMany } from '../lab/steps.ts'
import type { Target } from '../lab/target.ts'

const nobody = (): string => newWallet().address

/** A series id that there is not. */
const noSeries = (): string => BigInt(generatePrivateKey()).toString()

export const chainAttacks: readonly Attack[] = [
  {
    holds: 'two hundred reads of positions at once do not end the relay',
    known: true,
    needs: 'chain',
    run: async (target) => {
      const stranger = target.stranger()
      const { statuses } = await flood(200, 200, () => stranger.ask('GET', `/v1/positions?wallet=${nobody()}`))
      only(statuses, [200, 429, 503])
    },
  },
  {
    holds: 'a thousand reads of positions from a hundred addresses do not, either, and others are served meanwhile',
    known: true,
    needs: 'chain',
    run: async (target) => {
      const strangers = Array.from({ length: 100 }, () => target.stranger())
      const reading = flood(1_000, 1_000, (n) =>
        (strangers[n % 100] as (typeof strangers)[0]).ask('GET', `/v1/positions?wallet=${nobody()}`),
      )
      const other = target.stranger()
      for (let n = 0; n < 5; n += 1) {
        const { status } = await other.ask('GET', '/healthz', { timeoutMs: 5_000 })
        assert.equal(status, 200)
        await wait(100)
      }
      only((await reading).statuses, [200, 429, 503])
    },
  },
  {
    holds: 'hundreds of series that there are not are looked up, and cost little',
    known: true,
    run: async (target) => {
      const strangers = Array.from({ length: 10 }, () => target.stranger())
      const { statuses } = await flood(600, 100, (n) => {
        const stranger = strangers[n % 10] as (typeof strangers)[0]
        return n % 2 === 0
          ? stranger.ask('GET', `/v1/series/${noSeries()}`)
          : stranger.ask('POST', '/settlement/prepare', { body: { seriesId: noSeries() } })
      })
      only(statuses, [404, 409, 429, 503])
    },
  },
  {
    holds: 'a purse that pays for one fill is signed away once, whoever asks at the same moment',
    known: true,
    needs: 'chain',
    run: async (target) => {
      const { service } = target
      // A thousand dollars are the collateral of one fill of 1,800 options, not of two.
      const maker = await target.maker()
      const signer = await startSigner(maker)
      const requests = await openMany(target, 2, { trade: { side: 'buy', budgetUsd: 180 } })
      const takers = [service.wallet(), service.wallet()]
      await Promise.all(takers.map(service.fund))
      for (const { requestId } of requests) await maker.quoted(requestId, { price: 0.1, size: 2_000 })
      const answers = await Promise.all(
        requests.map(({ requestId }, n) =>
          service.commit(requestId, { wallet: (takers[n] as PrivateKeyAccount).address }),
        ),
      )
      signer.close()
      assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(({ text }) => text).join('\n'))
    },
  },
  {
    holds: 'one wallet under several keys is not signed away several times',
    known: true,
    needs: 'chain',
    run: async (target) => {
      const { service } = target
      const first = await target.maker()
      const others = await Promise.all([1, 2].map(() => target.maker({ funded: false })))
      const makers = [first, ...others.map((maker) => createMaker(target.ready, maker, first.wallet))]
      const signers = await Promise.all(makers.map((maker) => startSigner(maker)))
      const requests = await openMany(target, 3, { trade: { side: 'buy', budgetUsd: 180 } })
      const takers = await Promise.all(
        requests.map(async () => {
          const taker = service.wallet()
          await service.fund(taker)
          return taker
        }),
      )
      await Promise.all(requests.map(({ requestId }, n) => makers[n]?.quoted(requestId, { price: 0.1, size: 2_000 })))
      const answers = await Promise.all(
        requests.map(({ requestId }, n) =>
          service.commit(requestId, { wallet: (takers[n] as PrivateKeyAccount).address }),
        ),
      )
      for (const { close } of signers) close()
      assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(({ text }) => text).join('\n'))
    },
  },
  {
    holds: "a taker's orders bind no more of a maker's money than the taker could pay for",
    known: true,
    needs: 'chain',
    run: reserve,
  },
  {
    holds: 'who names a rich wallet without a proof binds a quarter of a maker at most, and shuts no window of its',
    known: true,
    needs: 'chain',
    run: async (target) => {
      const { service } = target
      // A thousand dollars are the collateral of one fill of 1,800 options; the wallet that is named has approved all it has.
      const maker = await target.maker()
      const signer = await startSigner(maker)
      const rich = service.wallet()
      await service.fund(rich)
      await maker.call('PUT', '/v1/mm/protections', { windows: [{ ms: 600_000, maxNotional: 1_000 }] })
      const buying = (budgetUsd: number) => ({ trade: { side: 'buy', budgetUsd } })
      const [theirs, honest] = [await openMany(target, 1, buying(180)), await openMany(target, 1, buying(130))]
      const [first, second] = [theirs[0]?.requestId as string, honest[0]?.requestId as string]
      await maker.quoted(first, { price: 0.1, size: 2_000 })
      const named = await service.commit(first, { wallet: rich.address })
      // 1,300 options are $715 of the $750 that are left to others.
      const quoted = await maker.quote(second, { price: 0.1, size: 2_000 })
      const proven = await service.commit(second, await service.proven(second))
      signer.close()
      assert.equal(named.status, 200, named.text)
      assert.equal(quoted.status, 200, quoted.text)
      assert.equal(proven.status, 200, proven.text)
    },
  },
  {
    holds: 'an order is not handed out when it can no longer be filled',
    known: true,
    needs: 'chain',
    run: async (target) => {
      const { service } = target
      const chain = service.chain as NonNullable<typeof service.chain>
      const maker = await target.maker()
      const taker = service.wallet()
      await service.fund(taker)
      const socket = await maker.connect()
      // The option's own expiry ends its order; its maker signs as late as it can.
      const created = await service.open({}, { expiresInS: 4 })
      const quoteId = await maker.quoted(created.requestId)
      const committing = service.commit(created.requestId, { wallet: taker.address })
      const accepted = await askedToSign(socket, created.requestId)
      const signature = await maker.sign(accepted)
      while ((await chain.now()) < accepted.order.validUntil) await wait(50)
      const confirmed = await maker.confirm(quoteId, signature)
      const committed = await committing
      socket.close()
      assert.notEqual(confirmed.status, 200, 'the confirm of a dead order')
      assert.notEqual(committed.status, 200, 'the commit of a dead order')
    },
  },
  {
    holds: 'a maker without money, or with money that it has not approved, is not quoted from',
    needs: 'chain',
    run: async (target) => {
      const poor = await target.maker({ funded: false })
      const [opened] = await openMany(target, 1)
      assert.equal((await poor.quote(opened?.requestId as string)).status, 422)
    },
  },
  {
    holds: 'wallets and series that are none, or are contracts of the market, are told so',
    needs: 'chain',
    run: async (target) => {
      const stranger = target.stranger()
      const { coreAddress, settlementAddress, stablecoinAddress } = target.ready
      for (const wallet of [coreAddress, settlementAddress, stablecoinAddress]) {
        const { status } = await stranger.ask('GET', `/v1/positions?wallet=${wallet}`)
        only(status, [200, 429])
      }
      for (const wallet of [
        '',
        '0x',
        'x'.repeat(5_000),
        '%00',
        `0x${'0'.repeat(40)}`,
        `${nobody()}&wallet=${nobody()}`,
      ]) {
        const { status } = await stranger.ask('GET', `/v1/positions?wallet=${wallet}`)
        only(status, [200, 400, 414, 429])
      }
      for (const seriesId of ['', '0x', '-1', '1e3', `0x${'f'.repeat(65)}`, 1, null, {}, 'x'.repeat(5_000)]) {
        const { status } = await stranger.ask('POST', '/settlement/prepare', { body: { seriesId } })
        only(status, [400, 404, 429])
      }
    },
  },
  {
    holds: 'a series is not resolved before its time, whoever asks and however often',
    needs: 'chain',
    run: async (target) => {
      const { body } = await target.service.call<{ series: { seriesId: string }[] }>('GET', '/v1/series')
      const seriesId = body.series.at(-1)?.seriesId
      const stranger = target.stranger()
      const { statuses } = await flood(50, 10, () =>
        stranger.ask('POST', '/settlement/prepare', { body: { seriesId } }),
      )
      only(statuses, [409, 429])
    },
  },
  {
    holds: 'one wallet in three spellings, fifty times at once, is paid once',
    needs: 'chain',
    run: async (target) => {
      const wallet = nobody()
      const spellings = [wallet, wallet.toLowerCase(), `0x${wallet.slice(2).toUpperCase()}`]
      const { statuses } = await flood(50, 50, (n) =>
        target.stranger().ask('POST', '/faucet', { body: { wallet: spellings[n % 3] } }),
      )
      only(statuses, [200, 429])
      assert.equal(statuses.get(200), 1)
    },
  },
  {
    holds: 'pages of other origins are not let in to the chain that a relay brings',
    known: true,
    needs: 'chain',
    run: async (target) => {
      const response = await fetch(String(target.ready.rpcUrl), {
        method: 'POST',
        headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      })
      await response.text()
      assert(!['*', 'https://evil.example'].includes(String(response.headers.get('access-control-allow-origin'))))
    },
  },
  {
    holds: 'the faucet pays one stranger no more than its share, in whatever wallets it asks',
    known: true,
    needs: 'chain',
    run: async (target) => {
      const stranger = target.stranger()
      const begun = Date.now()
      const { statuses } = await flood(300, 16, () => stranger.ask('POST', '/faucet', { body: { wallet: nobody() } }))
      only(statuses, [200, 429, 503])
      // A drip costs five units of what an address has: 600 at once, and 50 in each second.
      const most = (600 + (50 * (Date.now() - begun)) / 1_000) / 5 + 1
      assert((statuses.get(200) ?? 0) <= most, `${statuses.get(200)} wallets of one stranger were paid`)
    },
  },
]

/** One taker with a thousand dollars commits to ten orders of $400 each with one maker, whose money pays for eleven. */
async function reserve(target: Target): Promise<void> {
  const { service } = target
  const chain = service.chain as NonNullable<typeof service.chain>
  const maker = await target.maker()
  // Ten more purses: each order below locks 1,000 options, which are $550 of collateral.
  const donors = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const donor = service.wallet()
      await service.fund(donor)
      return donor
    }),
  )
  for (const donor of donors) await chain.transfer(donor, maker.wallet.address, 1_000_000_000n)
  const taker = service.wallet()
  await service.fund(taker)
  const signer = await startSigner(maker)
  const ordered = async (): Promise<number> => {
    const [opened] = await openMany(target, 1, { trade: { side: 'buy', budgetUsd: 400 } })
    const requestId = opened?.requestId as string
    if ((await maker.quote(requestId, { price: 0.4, size: 1_000 })).status !== 200) return 422
    return (await service.commit(requestId, { wallet: taker.address })).status
  }
  for (let n = 0; n < 10; n += 1) await ordered()
  // Of ten orders the taker could pay two. A maker of $5,000 that owes those still has $3,900 for somebody else.
  const [opened] = await openMany(target, 1, { trade: { side: 'buy', budgetUsd: 400 } })
  const { status, text } = await maker.quote(opened?.requestId as string, { price: 0.4, size: 1_000 })
  signer.close()
  assert.equal(status, 200, text)
}
