import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import type { SafeBatch } from '../../src/client/safe-batch.ts'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { startAnvil } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient } from '../../src/onchain/devnet/client.ts'
import { warpChain } from '../../src/onchain/devnet/warp.ts'
import type { Address, Hex } from '../../src/protocol/domain/units.ts'
import { temporaryDir } from '../cli/support.ts'
import { deployPublished, type PublishedName } from '../support/wallets/bytecode.ts'
import { makeSafe, type SafeWallet } from '../support/wallets/safe.ts'
import { openTerminal } from './typed-page.ts'

const keyOf = (name: keyof typeof KEYS): Hex => `0x${KEYS[name].repeat(32)}`
const KEYS = { deployer: 'c1', registrar: 'c2', signer: 'c3', 'new-signer': 'c4', stranger: 'c5' } as const
const addressOf = (name: keyof typeof KEYS): Address => privateKeyToAccount(keyOf(name)).address

/** A core whose owner and guardian are Safes of three people, of whom two sign; a series of an hour; and no relay. */
async function openWorld() {
  const cwd = temporaryDir()
  const anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  onTestFinished(() => anvil.stop())
  const dev = createDevClient(anvil.rpcUrl)
  const put = (name: PublishedName) => deployPublished(dev, { name, from: createDevAccounts().deployer })
  const contracts = {
    singleton: await put('Safe'),
    factory: await put('SafeProxyFactory'),
    handler: await put('CompatibilityFallbackHandler'),
    multiSend: await put('MultiSendCallOnly'),
  }
  const safeOf = (name: string) => makeSafe(dev, { name, contracts, owners: 3, threshold: 2 })
  const safes = {
    owner: await safeOf('owner'),
    guardian: await safeOf('guardian'),
    newOwner: await safeOf('new owner'),
    newGuardian: await safeOf('new guardian'),
  }
  for (const name of Object.keys(KEYS) as (keyof typeof KEYS)[]) {
    writeFileSync(join(cwd, `${name}.json`), keyOf(name), { mode: 0o600 })
    await dev.setBalance({ address: addressOf(name), value: 10n ** 18n })
  }
  const environment: Record<string, string> = { RPC_URL: anvil.rpcUrl, CHAIN_ID: '80002' }
  const { rfqctl, asked } = openTerminal(cwd, environment)
  const { code, stdout } = await rfqctl(
    `chain deploy --key-file deployer.json --owner ${safes.owner.address} --guardian ${safes.guardian.address} --registrar ${addressOf('registrar')} --resolution-signer ${addressOf('signer')} --minter ${addressOf('deployer')}`,
  )
  expect(code).toBe(0)
  for (const [, name = '', value = ''] of stdout.matchAll(/^(\w+)=(\S+)$/gm)) environment[name] = value
  const created = await rfqctl(
    `series create --condition-id 0x${'7f'.repeat(32)} --yes-token 4243 --type call --strike-bps 4500 --expires-in 1h --key-file registrar.json --json`,
  )
  environment.SERIES = JSON.parse(created.stdout).seriesId
  asked.length = 0

  /** What a line prints for a Safe; nothing was asked or sent. */
  const batchOf = async (line: string): Promise<{ batch: SafeBatch; advice: string }> => {
    const { code, stdout, stderr } = await rfqctl(`${line} --calldata`)
    expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
    return { batch: JSON.parse(stdout), advice: stderr }
  }
  const carryOut = (safe: SafeWallet, { transactions }: SafeBatch) =>
    safe.send(transactions.map(({ to, data }) => ({ to, data })))
  return {
    dev,
    rfqctl,
    asked,
    safes,
    batchOf,
    carryOut,
    /** Has a Safe carry out what a line prints for it, which the chain would take now. */
    act: async (safe: SafeWallet, line: string) => {
      const { batch, advice } = await batchOf(line)
      expect(advice).not.toContain('would be refused')
      expect(batch).toMatchObject({
        chainId: '80002',
        meta: { createdFromSafeAddress: safe.address },
        transactions: [{ to: environment.CORE_ADDRESS, value: '0' }],
      })
      await carryOut(safe, batch)
    },
    authority: async () => JSON.parse((await rfqctl('chain status --json')).stdout).authority,
  }
}

test('Safes in the roles carry out what is printed for them, from a halt to another owner', async () => {
  const { dev, rfqctl, safes, batchOf, carryOut, act, authority, asked } = await openWorld()
  const { owner, guardian, newOwner, newGuardian } = safes
  const standing = async () => (await rfqctl('chain halt $SERIES --calldata')).stderr
  await act(guardian, 'chain halt $SERIES')
  expect(await standing()).toContain('halted already')
  await act(owner, 'chain resume $SERIES')
  expect(await standing()).toMatch(/about to +halt 1 series/)

  // The signer is rotated, with a change of mind on the way; at the same time the guardian changes.
  await act(owner, `chain signer propose ${addressOf('stranger')}`)
  await act(guardian, `chain signer revoke ${addressOf('stranger')} --from ${guardian.address}`)
  expect(await authority()).toMatchObject({ signer: { holder: addressOf('signer'), proposed: null } })
  await act(owner, `chain signer propose ${addressOf('new-signer')} --from ${owner.address}`)
  await act(owner, `chain guardian propose ${newGuardian.address}`)
  const early = await batchOf('chain guardian accept')
  expect(early.advice).toMatch(/sent now, it would be refused: .* not allowed yet\. earliest 20\S+Z/)
  await expect(carryOut(newGuardian, early.batch)).rejects.toThrow()
  await warpChain(dev, 3 * 86_400)
  // Two people signed the same batch three days later.
  await carryOut(newGuardian, early.batch)
  expect((await rfqctl('chain signer accept --key-file new-signer.json --yes')).code).toBe(0)
  expect(await authority()).toMatchObject({
    signer: { holder: addressOf('new-signer'), proposed: null },
    guardian: { holder: newGuardian.address, proposed: null },
  })
  await act(newGuardian, `chain signer revoke --from ${newGuardian.address}`)
  expect(await authority()).toMatchObject({ signer: { holder: null } })

  // There is no signer: the owner names the price, a week later.
  await warpChain(dev, 7 * 86_400)
  await act(owner, 'settle manual propose $SERIES --price 0.59')
  const soon = await batchOf('settle manual execute $SERIES')
  expect(soon.advice).toContain('not allowed yet')
  await warpChain(dev, 86_400)
  await act(owner, 'settle manual execute $SERIES')
  expect((await rfqctl('settle manual execute $SERIES --calldata')).stderr).toContain('settled already\n  at $0.59')

  await act(owner, 'chain cap 1024')
  expect(await authority()).toMatchObject({ defaultCap: '1024000000' })
  await act(owner, `chain owner propose ${newOwner.address}`)
  await warpChain(dev, 3 * 86_400)
  await act(newOwner, 'chain owner accept')
  expect(await authority()).toMatchObject({ owner: { holder: newOwner.address, proposed: null } })
  const former = await batchOf(`chain registrar none --from ${owner.address}`)
  expect(former.advice).toContain('The wallet does not hold the role for this. role owner caller')
  expect(asked).toEqual([])
})

test('a wallet without the role is refused before it is asked, by every command of owner and guardian', async () => {
  const { dev, rfqctl, asked, act, safes } = await openWorld()
  const { owner, newOwner } = safes
  const someone = addressOf('new-signer')
  for (const role of ['signer', 'guardian']) await act(owner, `chain ${role} propose ${someone}`)
  await act(owner, `chain owner propose ${newOwner.address}`)
  const refused = async (line: string, roles: string) => {
    const { code, stdout, stderr } = await rfqctl(`${line} --key-file stranger.json`)
    expect({ line, code, stdout }).toEqual({ line, code: 4, stdout: '' })
    expect(stderr).toContain(`error: only ${roles} can `)
  }
  await refused('chain halt $SERIES', 'the guardian or the owner')
  await act(owner, `chain halt $SERIES --from ${owner.address}`)
  await refused('chain resume $SERIES', 'the owner')
  for (const role of ['signer', 'guardian', 'owner']) {
    await refused(`chain ${role} propose ${someone}`, 'the owner')
    await refused(`chain ${role} revoke`, role === 'guardian' ? 'the owner' : 'the guardian or the owner')
    await refused(`chain ${role} accept`, `the proposed ${role}`)
  }
  await refused(`chain registrar ${someone}`, 'the owner')
  await refused('chain cap 1024', 'the owner')
  await warpChain(dev, 4 * 86_400)
  await refused('settle manual propose $SERIES --price 0.59', 'the owner')
  await act(owner, 'settle manual propose $SERIES --price 0.59')
  await warpChain(dev, 86_400)
  await refused('settle manual execute $SERIES', 'the owner')
  expect(asked).toEqual([])
  expect(await dev.getTransactionCount({ address: addressOf('stranger') })).toBe(0)
})
