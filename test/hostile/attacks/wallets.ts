import assert from 'node:assert/strict'
import type { TestChain } from '../../kit/chain.ts'
import { askedToSign, createMaker, type Maker } from '../../kit/maker.ts'
import type { Attack } from '../lab/attack.ts'
import { coldWalletOf, contractOf, contractWith, randomHex } from '../lab/contract-wallets.ts'
import { flood } from '../lab/flood.ts'
import { only, openMany } from '../lab/steps.ts'
import type { Target } from '../lab/target.ts'

/** What the code of a wallet may do when it is asked whether it signed, as opcodes. */
const HOSTILE = {
  'burns all gas': '0x5b600056',
  'calls itself without end': '0x36600060003760006000366000305afa60005260206000f3',
  'answers garbage': '0x7f1626ba7e0000000000000000000000000000000000000000000000000000000160005260206000f3',
  'answers half a word': '0x631626ba7e60e01b60005260106000f3',
  'answers nothing': '0x00',
  'answers three hundred kilobytes': '0x6204b0006000f3',
  'answers megabytes': '0x624000006000f3',
  'reverts with three hundred kilobytes': '0x6204b0006000fd',
  'is no code at all': '0xfe',
} as const

const onChain = ({ service }: Target) => ({ ...service, chain: service.chain as TestChain })

/** A commit that waits for a maker whose wallet is at this address. */
async function asked(target: Target, maker: Maker, address: string) {
  const socket = await maker.connect()
  const [opened] = await openMany(target, 1)
  const requestId = opened?.requestId as string
  const quoteId = await maker.quoted(requestId, { maker: address })
  const committing = target.service.commit(requestId, { wallet: target.service.wallet().address })
  const accepted = await askedToSign(socket, requestId)
  const decline = async () => {
    await maker.call('POST', `/v1/mm/quotes/${quoteId}/decline`, {})
    socket.close()
    return committing
  }
  return { quoteId, accepted, decline }
}

export const walletAttacks: readonly Attack[] = [
  {
    holds:
      'a contract and a key that a wallet has authorised trade, softly and firmly, until their signatures count no more',
    needs: 'chain',
    run: async (target) => {
      for (const make of [contractOf, coldWalletOf]) {
        const maker = await target.maker({ funded: false })
        const wallet = await make(onChain(target), maker)
        const taker = target.service.wallet().address
        const soft = await asked(target, maker, wallet.address)
        assert.equal((await maker.confirm(soft.quoteId, await maker.sign(soft.accepted))).status, 200)
        assert.equal((await soft.decline()).status, 200)
        const named = await openMany(target, 2, { wallet: taker })
        for (const { requestId } of named) {
          const { body } = await maker.quote(requestId, { maker: wallet.address, firm: true })
          const signature = await maker.sign(body)
          const { status } = await maker.call('POST', `/v1/mm/quotes/${body.quoteId}/firm`, { signature })
          assert.equal(status, 200)
        }
        const commit = (n: number) => target.service.commit(named[n]?.requestId as string, { wallet: taker })
        assert.equal((await commit(0)).status, 200)
        await wallet.revoke()
        assert.equal((await commit(1)).body.code, 'no_valid_quotes')
      }
    },
  },
  {
    holds: 'a wallet whose code burns all gas, answers garbage or megabytes has not signed: 400, never 503, and soon',
    needs: 'chain',
    run: async (target) => {
      for (const [what, code] of Object.entries(HOSTILE)) {
        const maker = await target.maker({ funded: false })
        const { address } = await contractWith(onChain(target), code)
        const { quoteId, decline } = await asked(target, maker, address)
        const before = target.cpuMs()
        const { status, text } = await maker.confirm(quoteId, randomHex(200))
        assert.equal(status, 400, `${what}: ${text}`)
        assert(target.cpuMs() - before < 5_000, what)
        assert.equal((await decline()).body.code, 'no_maker_confirmed')
      }
    },
  },
  {
    holds: 'five hundred bad signatures for a wallet that burns all gas hold up no one, and cost eight reads',
    needs: 'chain',
    run: async (target) => {
      const maker = await target.maker({ funded: false })
      const { address } = await contractWith(onChain(target), HOSTILE['burns all gas'])
      const { quoteId, decline } = await asked(target, maker, address)
      const other = await target.maker()
      const confirms = flood(500, 100, () => maker.confirm(quoteId, randomHex(4_096)))
      const honest = await asked(target, other, other.wallet.address)
      assert.equal((await other.confirm(honest.quoteId, await other.sign(honest.accepted))).status, 200)
      only((await confirms).statuses, [400, 429])
      const { body } = await maker.confirm(quoteId, randomHex(65))
      assert.match(String(body.error), /from now on only one of the wallet/)
      await Promise.all([decline(), honest.decline()])
    },
  },
  {
    holds: 'a maker that signs two hundred firm quotes wrongly at once does not hold up the firm quotes of another',
    needs: 'chain',
    run: async (target) => {
      const taker = target.service.wallet().address
      const bad = await target.maker({ funded: false })
      const { address } = await contractWith(onChain(target), HOSTILE['burns all gas'])
      const requests = await openMany(target, 200, { wallet: taker })
      const quotes = await Promise.all(
        requests.map(({ requestId }) => bad.quote(requestId, { maker: address, firm: true })),
      )
      const makeFirm = (maker: Maker, quoteId: unknown, signature: string) =>
        maker.call('POST', `/v1/mm/quotes/${quoteId}/firm`, { signature })
      const flooding = flood(400, 200, (n) => makeFirm(bad, quotes[n % 200]?.body.quoteId, randomHex(4_096)))
      const good = await target.maker({ funded: false })
      const wallet = await contractOf(onChain(target), good)
      const { body } = await good.quote(requests[0]?.requestId as string, { maker: wallet.address, firm: true })
      const signature = await good.sign(body)
      assert.equal((await makeFirm(good, body.quoteId, signature)).status, 200)
      only((await flooding).statuses, [400, 429])
    },
  },
  {
    holds: 'signatures of megabytes are refused before they are looked at, over HTTP and the socket, and none is kept',
    needs: 'chain',
    run: async (target) => {
      const maker = await target.maker({ funded: false })
      // A wallet that takes anything.
      const takesAll = '0x631626ba7e60e01b60005260206000f3'
      const { address } = await contractWith(onChain(target), takesAll)
      const { quoteId, decline } = await asked(target, maker, address)
      for (const [bytes, status] of [
        [4_097, 400],
        [30_000, 400],
        [1_000_000, 413],
      ] as const) {
        only((await maker.confirm(quoteId, `0x${'5e'.repeat(bytes)}`)).status, [status, 0])
      }
      const socket = await createMaker(target.ready, maker, maker.wallet).connect()
      socket.send({ type: 'quote:confirm', ref: 'x', quoteId, signature: `0x${'5e'.repeat(1_000_000)}` })
      await socket.closed
      const longest = `0x${'5e'.repeat(4_096)}`
      assert.equal((await maker.confirm(quoteId, longest)).status, 200)
      const { body } = await decline()
      assert.equal(body.onchain?.makerSignature, longest)
    },
  },
]
