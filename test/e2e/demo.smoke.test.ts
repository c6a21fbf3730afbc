import { TypedDataEncoder, verifyTypedData } from 'ethers'
import { expect, it } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { NOWHERE } from '../cli/support.ts'
import { watchWire } from '../support/api/watch-wire.ts'

watchWire()

type Line = { type: string; [key: string]: unknown }

const ORDER_TYPES = {
  Order: [
    { name: 'maker', type: 'address' },
    { name: 'seriesId', type: 'uint256' },
    { name: 'optionAmount', type: 'uint256' },
    { name: 'premiumAmount', type: 'uint256' },
    { name: 'makerSelling', type: 'bool' },
    { name: 'taker', type: 'address' },
    { name: 'validUntil', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
  ],
}

const ATTESTATION_TYPES = {
  SettlementAttestation: [
    { name: 'seriesId', type: 'uint256' },
    { name: 'resolutionBps', type: 'uint16' },
    { name: 'validUntil', type: 'uint256' },
  ],
}

/** The demo as `rfqctl demo --json` runs it, on a real chain and real ports. */
async function runDemo(): Promise<{ exitCode: number; lines: Line[]; stderr: string }> {
  let stdout = ''
  let stderr = ''
  const exitCode = await runCli(['demo', '--json'], {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    environment: {},
    cwd: process.cwd(),
    stop: new AbortController().signal,
    defaults: NOWHERE,
    readStdin: async () => '',
  })
  return {
    exitCode,
    stderr,
    lines: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line),
  }
}

it('the demo lives a trade of each side and one in a package, and a second implementation agrees with every signature', async () => {
  const { exitCode, lines, stderr } = await runDemo()
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  const of = (type: string) => lines.filter((line) => line.type === type)

  const trades = of('committed').map(
    ({ onchain }) => onchain as { order: Record<string, unknown>; makerSignature: string; domain: object },
  )
  expect(trades.map(({ order }) => order.makerSelling)).toEqual([true, false, true])
  for (const { order, makerSignature, domain } of trades) {
    expect(verifyTypedData(domain, ORDER_TYPES, order, makerSignature)).toBe(order.maker)
    expect(TypedDataEncoder.hash(domain, ORDER_TYPES, order)).toMatch(/^0x[0-9a-f]{64}$/)
  }

  const resolutions = of('prepared') as (Line & {
    attestation: Record<string, unknown>
    signature: string
    domain: object
  })[]
  // A price is of a market and an expiry. The put and the call are of two markets; the hour decides whether the spread shares one.
  expect([2, 3]).toContain(resolutions.length)
  expect(of('priced')).toHaveLength(3 - resolutions.length)
  expect(of('claimed')).toHaveLength(trades.length)
  for (const { attestation, signature, domain } of resolutions) {
    expect(verifyTypedData(domain, ATTESTATION_TYPES, attestation, signature)).toBe(
      createDevAccounts().resolutionSigner.address,
    )
  }

  // The legs of the spread, each traded alone, would lock several times what it locks.
  const [compared] = of('legs_compared') as (Line & { collateral: string; legByLeg: string })[]
  expect(BigInt(compared?.legByLeg ?? 0)).toBeGreaterThan(2n * BigInt(compared?.collateral ?? 0))
  expect(of('offer')).toHaveLength(1)

  const [table] = of('balances') as (Line & { balances: { account: string; change: string }[] })[]
  const changes = (table?.balances ?? []).map(({ change }) => BigInt(change))
  expect(changes.some((change) => change !== 0n)).toBe(true)
  expect(changes.reduce((sum, change) => sum + change, 0n)).toBe(0n)
  expect(lines.at(-1)).toMatchObject({ type: 'done', ok: true })
})
