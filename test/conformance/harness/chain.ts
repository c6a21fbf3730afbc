import {
  AbiCoder,
  Contract,
  hexlify,
  isError,
  JsonRpcProvider,
  keccak256,
  randomBytes,
  Wallet,
  ZeroAddress,
} from 'ethers'
import { eventually } from '../../kit/eventually.ts'
import type { Ready } from '../../kit/relay-process.ts'

const ORDER =
  '(address maker,uint256 seriesId,uint256 optionAmount,uint256 premiumAmount,bool makerSelling,address taker,uint256 validUntil,uint256 nonce)'

const SETTLEMENT_ABI = [
  `function fill(${ORDER} order, bytes makerSignature)`,
  'function cancelNonce(uint256 nonce)',
  'function authorizeSigner(address signer, uint256 until)',
  'function revokeSigner(address signer)',
  `function hashOrder(${ORDER} order) view returns (bytes32)`,
]

const CORE_ABI = [
  'function owner() view returns (address)',
  'function createSeries(bytes32 conditionId, uint256 yesClobTokenId, address conditionCollateral, uint16 strikeBps, uint64 expiry, uint8 optionType) returns (uint256)',
  'function createPackage(bytes32 conditionId, uint256 yesClobTokenId, uint64 expiry, uint256 legs) returns (uint256)',
  'function setHalted(uint256[] ids, bool halted)',
  'function settleWithAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil, bytes signature)',
  'function balanceOf(address account, uint256 id) view returns (uint256)',
  'function claimMany(uint256[] ids, address to) returns (uint256)',
]

const TOKEN_ABI = [
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
]

const ONE_ETHER = '0xde0b6b3a7640000'

/** The terms of a series. */
export type Terms = {
  conditionId: string
  yesTokenId: string
  strikeBps: number
  expiry: number
  optionType: 'call' | 'put'
}

/** A leg of a package. */
export type Leg = Pick<Terms, 'strikeBps' | 'optionType'> & { quantity: number }

/** The terms of a package, its legs ascending by type and strike. */
export type PackageTerms = Pick<Terms, 'conditionId' | 'yesTokenId' | 'expiry'> & { legs: readonly Leg[] }

/** What settles a series on chain. */
export type Attestation = { seriesId: string; resolutionBps: number; validUntil: number; signature: string }

/** The chain under a relay, reached over JSON-RPC by a stranger with its own library. */
export type TestChain = {
  provider: JsonRpcProvider
  settlement: Contract
  core: Contract
  token: Contract
  /** The newest block's time, Unix seconds. */
  now: () => Promise<number>
  /** Gives a wallet gas, so that it can send. */
  giveGas: (wallet: Wallet) => Promise<void>
  /** Calls the stablecoin as a wallet that has gas. */
  send: (wallet: Wallet, method: 'approve' | 'transfer', to: string, amount: bigint) => Promise<void>
  approve: (wallet: Wallet, spender: string, amount: bigint) => Promise<void>
  /** Registers a series as the owner of the core. */
  register: (terms: Terms) => Promise<void>
  /** Registers a package as the owner of the core, as anyone could. */
  registerPackage: (terms: PackageTerms) => Promise<void>
  /** Registers a series that expires in seconds, and waits until the chain says that it has. */
  registerExpired: <Of extends Omit<Terms, 'expiry'>>(terms: Of) => Promise<Of & { expiry: number }>
  halt: (seriesId: string) => Promise<void>
  /** Settles a series as somebody whom nobody knows. */
  settle: (attestation: Attestation) => Promise<void>
  close: () => void
}

/** Opens the chain of a relay. */
export function openChain({ rpcUrl, chainId, settlementAddress, coreAddress, stablecoinAddress }: Ready): TestChain {
  if (rpcUrl === null) throw new Error('this relay has no chain')
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1, polling: true })
  provider.pollingInterval = 25
  const contract = (address: string, abi: string[]) => new Contract(address, abi, provider)
  const core = contract(coreAddress, CORE_ABI)
  const token = contract(stablecoinAddress, TOKEN_ABI)

  /** Sends as the core's owner, whose key the suite need not know: a local chain lets anybody act as anybody. */
  async function asOwner(method: string, ...args: unknown[]): Promise<void> {
    const from = await core.getFunction('owner')()
    await provider.send('anvil_impersonateAccount', [from])
    const data = core.interface.encodeFunctionData(method, args)
    const hash = await sendAmongOthers({ from, to: coreAddress, data, gas: '0x7a120' })
    const receipt = await provider.waitForTransaction(hash)
    if (receipt?.status !== 1) throw new Error(`${method} was reverted`)
  }

  /** The node picks the nonce: of two that ask at the same moment, as files do that run side by side, one must ask again. */
  async function sendAmongOthers(transaction: object): Promise<string> {
    for (;;) {
      try {
        return await provider.send('eth_sendTransaction', [transaction])
      } catch (fault) {
        if (!isError(fault, 'REPLACEMENT_UNDERPRICED') && !isError(fault, 'NONCE_EXPIRED')) throw fault
      }
    }
  }

  const send: TestChain['send'] = async (wallet, method, to, amount) => {
    const sent = await token.connect(wallet.connect(provider)).getFunction(method)(to, amount)
    await sent.wait()
  }

  const now = async () => (await provider.getBlock('latest'))?.timestamp ?? 0
  const register: TestChain['register'] = ({ conditionId, yesTokenId, strikeBps, expiry, optionType }) =>
    asOwner('createSeries', conditionId, yesTokenId, ZeroAddress, strikeBps, expiry, optionType === 'call' ? 0 : 1)

  /** A machine that is held back may take longer to register a series than that has to live: then it has to live longer. */
  const registerExpired: TestChain['registerExpired'] = async (terms) => {
    for (let leadS = 3; ; leadS *= 2) {
      const series = { ...terms, expiry: (await now()) + leadS }
      const isRegistered = await register(series).then(
        () => true,
        () => false,
      )
      if (isRegistered) {
        await eventually(now, (time) => time >= series.expiry)
        return series
      }
      if (leadS > 60) throw new Error('the series could not be registered')
    }
  }

  return {
    provider,
    settlement: contract(settlementAddress, SETTLEMENT_ABI),
    core,
    token,
    now,
    giveGas: ({ address }) => provider.send('anvil_setBalance', [address, ONE_ETHER]),
    send,
    approve: (wallet, spender, amount) => send(wallet, 'approve', spender, amount),
    register,
    registerPackage: ({ conditionId, yesTokenId, expiry, legs }) =>
      asOwner('createPackage', conditionId, yesTokenId, expiry, wordOf(legs)),
    registerExpired,
    halt: (seriesId) => asOwner('setHalted', [seriesId], true),
    settle: async ({ seriesId, resolutionBps, validUntil, signature }) => {
      const anyone = Wallet.createRandom().connect(provider)
      await provider.send('anvil_setBalance', [anyone.address, ONE_ETHER])
      const settle = (core.connect(anyone) as Contract).getFunction('settleWithAttestation')
      await (await settle(seriesId, resolutionBps, validUntil, signature)).wait()
    },
    close: () => provider.destroy(),
  }
}

/** The id of a series by the specification's formula (decision U6). */
export function seriesIdOf({ conditionId, yesTokenId, strikeBps, expiry, optionType }: Terms): string {
  const types = ['bytes32', 'uint256', 'uint16', 'uint64', 'uint8']
  const values = [conditionId, yesTokenId, strikeBps, expiry, optionType === 'call' ? 0 : 1]
  return BigInt(keccak256(AbiCoder.defaultAbiCoder().encode(types, values))).toString()
}

/** Legs in one word: 32 bits each, from the high end quantity, type and strike, the first leg lowest. */
const wordOf = (legs: readonly Leg[]): bigint =>
  BigInt(
    `0x${legs
      .map(({ quantity, optionType, strikeBps }) =>
        [(quantity + 256) % 256, optionType === 'call' ? 0 : 1, strikeBps]
          .map((value, i) => value.toString(16).padStart(i === 2 ? 4 : 2, '0'))
          .join(''),
      )
      .toReversed()
      .join('')}`,
  )

/** The id of a package: its packed legs stand for the strike, and 2 for the type. */
export function packageIdOf({ conditionId, yesTokenId, expiry, legs }: PackageTerms): string {
  const types = ['bytes32', 'uint256', 'uint256', 'uint64', 'uint8']
  const encoded = AbiCoder.defaultAbiCoder().encode(types, [conditionId, yesTokenId, wordOf(legs), expiry, 2])
  return BigInt(keccak256(encoded)).toString()
}

/** A market that nobody has asked about before. */
export const newMarket = () => ({
  conditionId: hexlify(randomBytes(32)),
  yesTokenId: BigInt(hexlify(randomBytes(31))).toString(),
})
