import { type Authority, getAuthority } from '@rfqctl/client/authority'
import { transportOf } from '@rfqctl/client/from-text'
import { duration } from '@rfqctl/lib/format'
import { createChainClient } from '@rfqctl/onchain/deploy/chain-client'
import { readSigner } from '@rfqctl/onchain/deploy/quorum-signer'
import type { Address } from '@rfqctl/protocol/domain/units'
import { deploymentFindings } from '../../chain/verify.ts'
import { marketsOn, safeguardsOf, weaknessesOf } from '../../chain/weaknesses.ts'
import { publicAddresses } from '../../context/account.ts'
import { tradingChain } from '../../context/targets.ts'
import { AHEAD_MS, HEAD_MAX_AGE_MS } from '../chain.ts'
import { type DoctorContext, type Finding, good, unseen, warning } from '../check.ts'
import { productionValues, refusal } from './settings.ts'

/** Checks code and roles for real money. */
export async function checkProductionChain(context: DoctorContext): Promise<Finding[]> {
  const { cli, options } = context
  const { CORE_ADDRESS, SETTLEMENT_ADDRESS } = productionValues(context).values
  // Without them the settings check refuses already; a local sandbox is not a substitute.
  if (CORE_ADDRESS === null || SETTLEMENT_ADDRESS === null) return [unseen('contracts', 'their addresses are not set')]
  const chain = tradingChain(cli, options)
  const findings = await deploymentFindings(cli, chain)
  // Without a key or a socket of the signer the settings check refuses already.
  const told = findings.filter(({ check, state }) => check !== 'signer' || state !== 'unseen')
  if (told.some(({ check, state }) => check.startsWith('Service') && state === 'fault')) return told
  const { rpcUrl, coreAddress, chainId } = chain
  const authority = await getAuthority({ coreAddress, transport: transportOf(rpcUrl) })
  const markets = await marketsOn(createChainClient(rpcUrl), chainId)
  return [...told, ...(await roleFindings(rpcUrl, authority, markets))]
}

/** Refuses where one stolen or public key could decide what others' options pay. */
async function roleFindings(rpcUrl: string, authority: Authority, markets: Address | null): Promise<Finding[]> {
  const { owner, guardian, signer, registrar, halter } = authority
  const holders = [
    ['owner', owner.holder],
    ['guardian', guardian.holder],
    ['resolution signer', signer.holder],
    ['registrar', registrar],
    ['halter', halter],
  ] as const
  const known = publicAddresses()
  const refused = [
    ...holders
      .filter(([, holder]) => holder !== null && known.includes(holder))
      .map(([role, holder]) =>
        refusal('roles', `the key of the ${role} ${holder} is public: it is one of Anvil's ten`, giveTo(role)),
      ),
    ...(owner.holder !== null && (await isContract(rpcUrl, owner.holder))
      ? []
      : [
          refusal(
            'roles',
            owner.holder === null ? 'the core has no owner' : `the owner ${owner.holder} is a single key`,
            'hand over to a multi-signature wallet: rfqctl chain owner propose ADDRESS',
          ),
        ]),
    ...weaknessesOf(safeguardsOf(authority, markets)).map(({ found, fix }) => refusal('roles', found, fix)),
  ]
  const ofSigner = signer.holder === null ? [] : await signerFindings(rpcUrl, signer.holder)
  return refused.length > 0
    ? [...refused, ...ofSigner]
    : [good('roles', 'the owner is a contract, and the guardian is someone else'), ...ofSigner]
}

/** One stolen key, or one wrong source, must not name prices. */
async function signerFindings(rpcUrl: string, address: Address): Promise<Finding[]> {
  const signer = await readSigner(createChainClient(rpcUrl), address)
  if (signer.kind === 'quorum' && signer.threshold >= 2) {
    return signer.isOurs
      ? []
      : [warning('roles', `the keys of the resolution signer ${address} can change without notice`, SEVERAL_KEYS)]
  }
  if (signer.kind === 'contract') {
    return [warning('roles', `the resolution signer ${address} does not say how many keys sign`, SEVERAL_KEYS)]
  }
  return [warning('roles', `the resolution signer ${address} signs by one key`, SEVERAL_KEYS)]
}

const SEVERAL_KEYS = 'make one of several keys: rfqctl chain signer create, then rfqctl chain signer propose ADDRESS'

/** A key that lent its account to a contract (EIP-7702) is still a key. */
async function isContract(rpcUrl: string, address: Address): Promise<boolean> {
  const code = (await createChainClient(rpcUrl).getCode({ address })) ?? '0x'
  return code !== '0x' && !code.startsWith('0xef0100')
}

const giveTo = (role: 'owner' | 'guardian' | 'resolution signer' | 'registrar' | 'halter'): string =>
  role === 'registrar' || role === 'halter'
    ? `name another: rfqctl chain ${role} ADDRESS`
    : `propose another: rfqctl chain ${role === 'resolution signer' ? 'signer' : role} propose ADDRESS`

/** Checks that the chain produces blocks and agrees with this machine's clock. */
export async function checkProductionHead(context: DoctorContext): Promise<Finding[]> {
  const { HEAD_STALE_MS, RPC_URL } = productionValues(context).values
  const rpcUrl = context.options.rpc ?? RPC_URL
  if (rpcUrl === null) return [unseen('head', 'RPC_URL is not set')]
  const { number, timestamp } = await createChainClient(rpcUrl).getBlock()
  const ageMs = Date.now() - Number(timestamp) * 1_000
  const limitMs = HEAD_STALE_MS === 0 ? HEAD_MAX_AGE_MS : HEAD_STALE_MS
  if (ageMs > limitMs) {
    return [refusal('head', `block ${number} is ${duration(ageMs)} old`, 'use a node that is in sync, and NTP here')]
  }
  if (ageMs < -AHEAD_MS) {
    return [
      refusal('clock', `the chain is ${duration(-ageMs)} ahead of this machine`, "set this machine's clock by NTP"),
    ]
  }
  return [good('head', `block ${number} is ${duration(Math.max(0, ageMs))} old, and clocks agree`)]
}
