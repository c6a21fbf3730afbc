import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  concat,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  getContractAddress,
  hashTypedData,
  http,
  keccak256,
  maxUint256,
  toHex,
  zeroAddress,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { compile, productionSettings, root } from './compile.mjs'
import { floorCodes } from './gas-floor.mjs'

export const START = 1_750_000_000
const EXPIRY = BigInt(START + 1_000_000)
const CHAIN_ID = 80_002
/** The words of Anvil's public accounts: money of a local chain that lives for a minute. */
const MNEMONIC = 'test test test test test test test test test test test junk'

const orderFields = [
  'maker',
  'seriesId',
  'optionAmount',
  'premiumAmount',
  'makerSelling',
  'taker',
  'validUntil',
  'nonce',
]
const orderType = orderFields.map((name) => {
  if (name === 'maker' || name === 'taker') return { name, type: 'address' }
  return { name, type: name === 'makerSelling' ? 'bool' : 'uint256' }
})
const attestationType = [
  { name: 'seriesId', type: 'uint256' },
  { name: 'resolutionBps', type: 'uint16' },
  { name: 'validUntil', type: 'uint256' },
]
const shortTransferType = ['from', 'to', 'seriesId', 'amount', 'nonce', 'deadline'].map((name) => ({
  name,
  type: name === 'from' || name === 'to' ? 'address' : 'uint256',
}))
/** @param {number} quantity @param {number} optionType @param {number} strikeBps as the core packs a leg */
const leg = (quantity, optionType, strikeBps) => BigInt((quantity & 0xff) * 2 ** 24 + optionType * 2 ** 16 + strikeBps)
const ROLES = { guardian: 1, signer: 2, halter: 4 }
const DAY = 86_400
const permitType = ['owner', 'spender', 'value', 'nonce', 'deadline'].map((name) => ({
  name,
  type: name === 'owner' || name === 'spender' ? 'address' : 'uint256',
}))

const fillAuthorizationType = [
  { name: 'orderHash', type: 'bytes32' },
  { name: 'maxFee', type: 'uint256' },
  { name: 'feeRecipient', type: 'address' },
  { name: 'deadline', type: 'uint256' },
  { name: 'partner', type: 'address' },
  { name: 'partnerBps', type: 'uint16' },
]

/** @param {string} name */
const artifactOf = (name) => JSON.parse(readFileSync(join(root, 'contracts/artifacts', `${name}.json`), 'utf8'))
const [coreArtifact, settlementArtifact, usdArtifact, factoryArtifact, quorumArtifact] = [
  'ServiceCore',
  'ServiceRFQSettlement',
  'TestUSD',
  'DeploymentFactory',
  'QuorumSigner',
].map(artifactOf)

/** The deterministic deployment proxy, which Anvil has. @type {`0x${string}`} */
const PROXY = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** A contract of the tests: a market that reports its own resolution. */
function compileMarket() {
  const [name, path] = ['Conditions', 'contracts/test/invariant/Accounts.sol']
  const sources = { [path]: { content: readFileSync(join(root, path), 'utf8') } }
  const output = compile(sources, productionSettings, { [path]: { [name]: ['abi', 'evm.bytecode.object'] } })
  const { abi, evm } = output.contracts[path][name]
  return { abi, bytecode: /** @type {`0x${string}`} */ (`0x${evm.bytecode.object}`) }
}

/**
 * @typedef {{ gas: number, logs: string }} Measure
 * @typedef {{ core: `0x${string}`, settlement: `0x${string}` }} Target
 */

/** @param {string} name @param {`0x${string}`} verifyingContract */
const domainOf = (name, verifyingContract) => ({ name, version: '1', chainId: CHAIN_ID, verifyingContract })

/**
 * A bench on one chain: deploys the stablecoin, funds ten accounts, and measures receipts.
 * @param {string} url
 */
export async function createBench(url) {
  const chain = {
    id: CHAIN_ID,
    name: 'local',
    nativeCurrency: { name: 'ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  }
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 10, cacheTime: 0 })
  const wallets = Array.from({ length: 10 }, (_, addressIndex) =>
    createWalletClient({ account: mnemonicToAccount(MNEMONIC, { addressIndex }), chain, transport: http() }),
  )
  const [owner, signer, ...traders] = wallets

  /** @param {`0x${string}`} hash */
  async function receiptOf(hash) {
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`${hash} reverted`)
    return receipt
  }

  /** @param {any} wallet @param {any} call */
  const send = async (wallet, call) => receiptOf(await wallet.writeContract({ gas: 3_000_000n, ...call }))

  /** @param {any} deployment */
  async function deploy(deployment) {
    const { contractAddress } = await receiptOf(await owner.deployContract(deployment))
    if (!contractAddress) throw new Error('no contract was created')
    return contractAddress
  }

  const usd = await deploy({ ...usdArtifact, args: [owner.account.address, owner.account.address] })
  for (const { account } of traders) {
    await send(owner, { address: usd, abi: usdArtifact.abi, functionName: 'mint', args: [account.address, 10n ** 12n] })
  }

  /** Addresses of the next two contracts the owner creates. */
  async function nextTarget() {
    const nonce = BigInt(await reader.getTransactionCount({ address: owner.account.address }))
    const from = owner.account.address
    return { core: getContractAddress({ from, nonce }), settlement: getContractAddress({ from, nonce: nonce + 1n }) }
  }

  /** @param {`0x${string}`} settlement @param {{ disputeWindow?: bigint, conditionalTokens?: `0x${string}` }} other than none */
  const setupOf = (settlement, { disputeWindow = 0n, conditionalTokens = zeroAddress }) => ({
    stablecoin: usd,
    settlement,
    owner: owner.account.address,
    registrar: owner.account.address,
    guardian: wallets[9].account.address,
    halter: zeroAddress,
    resolutionSigner: signer.account.address,
    tradingCutoff: 0n,
    disputeWindow,
    conditionalTokens,
    uri: 'https://rfq.example/series/{id}',
  })

  /** @param {Parameters<typeof setupOf>[1]} [other] @returns {Promise<Target>} */
  async function deployOurs(other = {}) {
    const target = await nextTarget()
    await deploy({ ...coreArtifact, args: [setupOf(target.settlement, other)] })
    await deploy({ ...settlementArtifact, args: [target.core] })
    return target
  }

  /** @returns {Promise<Target>} */
  async function deployFloor() {
    const target = await nextTarget()
    const addresses = { ...target, stablecoin: usd, signer: signer.account.address, registrar: owner.account.address }
    const codes = floorCodes(addresses, CHAIN_ID)
    await deploy({ abi: [], bytecode: codes.core })
    await deploy({ abi: [], bytecode: codes.settlement })
    return target
  }

  /**
   * An order for 250 options at 0.31, and its signature.
   * @param {Target} target
   * @param {any} maker
   * @param {any} taker
   * @param {{ seriesId: bigint, makerSelling: boolean, validUntil: bigint, nonce: bigint }} terms
   * @param {any} [key] signs for the maker
   */
  async function orderOf({ settlement }, maker, taker, terms, key = maker) {
    const [makerAddress, takerAddress] = [maker.account.address, taker.account.address]
    const order = { ...terms, maker: makerAddress, taker: takerAddress, optionAmount: 250n, premiumAmount: 77_500_000n }
    const signature = await key.signTypedData({
      domain: domainOf('ServiceRFQSettlement', settlement),
      types: { Order: orderType },
      primaryType: 'Order',
      message: order,
    })
    return { order, signature }
  }

  /** @param {Target} target @param {any} by signs @param {{ seriesId: bigint, resolutionBps: number, validUntil: bigint }} message */
  const attestedBy = ({ core }, by, message) =>
    by.signTypedData({
      domain: domainOf('ServiceCore', core),
      types: { SettlementAttestation: attestationType },
      primaryType: 'SettlementAttestation',
      message,
    })

  /** @param {any} wallet @param {`0x${string}`} spender @param {bigint} amount */
  const approve = (wallet, spender, amount) =>
    send(wallet, { address: usd, abi: usdArtifact.abi, functionName: 'approve', args: [spender, amount] })

  /** @param {number | bigint} time Unix seconds of the next block */
  const moveTo = (time) =>
    reader.request({
      method: /** @type {any} */ ('evm_setNextBlockTimestamp'),
      params: /** @type {any} */ ([toHex(time)]),
    })

  /**
   * Everything there is to do, in one fixed order, at one of the two targets.
   * @param {Target} target
   * @param {boolean} isOurs also what only our contracts can do
   * @returns {Promise<Map<string, Measure>>}
   */
  async function measureAll(target, isOurs) {
    /** @type {Map<string, Measure>} */
    const measures = new Map()
    let nonce = 0n

    /** @param {string} name @param {Promise<any>} pending */
    async function measure(name, pending) {
      const receipt = await pending
      const places = [target.core, target.settlement].map((address) => address.slice(2).toLowerCase())
      // The same events, but for the addresses of the contracts themselves.
      const logs = JSON.stringify(receipt.logs.map((/** @type {any} */ log) => [log.address, log.topics, log.data]))
      const neutral = places.reduce((text, place, i) => text.replaceAll(new RegExp(place, 'gi'), `<${i}>`), logs)
      measures.set(name, { gas: Number(receipt.gasUsed), logs: neutral })
      return receipt
    }
    /** @param {any} wallet @param {string} functionName @param {unknown[]} args */
    const atCore = (wallet, functionName, args) =>
      send(wallet, { address: target.core, abi: coreArtifact.abi, functionName, args })
    /** @param {any} wallet @param {string} functionName @param {unknown[]} args */
    const atSettlement = (wallet, functionName, args) =>
      send(wallet, { address: target.settlement, abi: settlementArtifact.abi, functionName, args })
    const domain = domainOf('ServiceRFQSettlement', target.settlement)

    /** @param {any} maker @param {any} taker @param {bigint} seriesId @param {boolean} makerSelling @param {any} [key] signs for the maker */
    const signedOrder = (maker, taker, seriesId, makerSelling, key = maker) =>
      orderOf(target, maker, taker, { seriesId, makerSelling, validUntil: EXPIRY, nonce: nonce++ }, key)
    /** @param {any} maker @param {any} taker @param {bigint} seriesId @param {boolean} makerSelling */
    async function fill(maker, taker, seriesId, makerSelling) {
      const { order, signature } = await signedOrder(maker, taker, seriesId, makerSelling)
      return atSettlement(taker, 'fill', [order, signature])
    }
    /** @param {any} taker @param {bigint} value */
    async function permitOf(taker, value) {
      const owner = taker.account.address
      const used = await reader.readContract({
        address: usd,
        abi: usdArtifact.abi,
        functionName: 'nonces',
        args: [owner],
      })
      const rsv = await taker.signTypedData({
        domain: { name: 'Test USD', version: '1', chainId: CHAIN_ID, verifyingContract: usd },
        types: { Permit: permitType },
        primaryType: 'Permit',
        message: { owner, spender: target.settlement, value, nonce: used, deadline: EXPIRY },
      })
      const [r, s, v] = [`0x${rsv.slice(2, 66)}`, `0x${rsv.slice(66, 130)}`, Number(`0x${rsv.slice(130)}`)]
      return { rsv, permit: { value, deadline: EXPIRY, v, r, s } }
    }
    /** @param {any} maker @param {any} taker @param {bigint} seriesId */
    async function fillWithPermit(maker, taker, seriesId) {
      const { order, signature } = await signedOrder(maker, taker, seriesId, true)
      const { permit } = await permitOf(taker, order.premiumAmount)
      return atSettlement(taker, 'fillWithPermit', [order, signature, permit])
    }
    /** For a fee, by a permit of premium and fee. @param {any} maker @param {any} taker @param {bigint} seriesId */
    async function fillFor(maker, taker, seriesId) {
      const { order, signature } = await signedOrder(maker, taker, seriesId, true)
      const fee = 50_000n
      const value = order.premiumAmount + fee
      const { rsv } = await permitOf(taker, value)
      const payment = { method: 1, value, nonce: 0n, deadline: EXPIRY, signature: rsv }
      const orderHash = hashTypedData({ domain, types: { Order: orderType }, primaryType: 'Order', message: order })
      const noPartner = { partner: zeroAddress, partnerBps: 0 }
      const authorization = {
        orderHash,
        maxFee: fee,
        feeRecipient: owner.account.address,
        deadline: EXPIRY,
        ...noPartner,
      }
      const types = { FillAuthorization: fillAuthorizationType }
      const takerSignature = await taker.signTypedData({
        domain,
        types,
        primaryType: 'FillAuthorization',
        message: authorization,
      })
      return atSettlement(owner, 'fillFor', [order, signature, payment, authorization, takerSignature, fee])
    }
    /** @param {any} maker @param {any} taker @param {bigint} seriesId @param {any} key */
    async function fillSignedBy(maker, taker, seriesId, key) {
      const { order, signature } = await signedOrder(maker, taker, seriesId, true, key)
      return atSettlement(taker, 'fill', [order, signature])
    }
    /** For a partner that holds money. @param {any} maker @param {any} taker @param {bigint} seriesId @param {boolean} makerSelling */
    async function fillWithPartnerFee(maker, taker, seriesId, makerSelling) {
      const { order, signature } = await signedOrder(maker, taker, seriesId, makerSelling)
      return atSettlement(taker, 'fillWithPartnerFee', [order, signature, otherWriter.account.address, 50])
    }
    /** @param {'fillBatch' | 'fillMany'} functionName @param {any} maker @param {any} taker @param {bigint} seriesId @param {number} size */
    async function fillSeveral(functionName, maker, taker, seriesId, size) {
      /** @type {Awaited<ReturnType<typeof signedOrder>>[]} */
      const signed = []
      for (let i = 0; i < size; i++) signed.push(await signedOrder(maker, taker, seriesId, true))
      return atSettlement(taker, functionName, [signed.map(({ order }) => order), signed.map((s) => s.signature)])
    }
    /** @param {any} maker @param {any} taker @param {bigint} seriesId @param {boolean} makerSelling @param {bigint[]} amounts from inventory, and closed after it */
    async function fillFromInventory(maker, taker, seriesId, makerSelling, amounts) {
      const { order, signature } = await signedOrder(maker, taker, seriesId, makerSelling)
      return atSettlement(taker, 'fillFromInventory', [order, signature, ...amounts, zeroAddress, 0])
    }
    /** @param {string} condition @param {number} [strikeBps] @param {number} [optionType] */
    const createSeries = async (condition, strikeBps = 4500, optionType = 0) => {
      const terms = [keccak256(toHex(condition)), 123n, zeroAddress, strikeBps, EXPIRY, optionType]
      const receipt = await atCore(owner, 'createSeries', terms)
      return { receipt, seriesId: BigInt(receipt.logs[0].topics[1] ?? 0) }
    }
    /** @param {string} condition @param {bigint[]} legs */
    const createPackage = async (condition, legs) => {
      const packed = legs.reduce((word, each, i) => word | (each << BigInt(32 * i)), 0n)
      const receipt = await atCore(first, 'createPackage', [keccak256(toHex(condition)), 123n, EXPIRY, packed])
      return { receipt, seriesId: BigInt(receipt.logs[0].topics[1] ?? 0) }
    }

    /** Packages of the series that is measured, the last of four legs: what a series costs, a package may cost. */
    async function measurePackages() {
      for (const [strikeBps, optionType] of [
        [6500, 0],
        [3500, 1],
      ]) {
        await createSeries('measured', strikeBps, optionType)
      }
      const two = await createPackage('measured', [leg(1, 0, 4500), leg(-1, 0, 6500)])
      await measure('createPackage, two legs', Promise.resolve(two.receipt))
      const legs = [leg(1, 0, 4500), leg(-2, 0, 5500), leg(1, 0, 6500), leg(1, 1, 3500)]
      const four = await createPackage('measured', legs)
      await measure('createPackage, four legs', Promise.resolve(four.receipt))
      // A word of nonces of its own, as at the first fill of the series.
      nonce = 256n
      await measure('fill of four legs, cold', fill(maker, taker, four.seriesId, true))
      await measure('fill of four legs, busy maker', fill(maker, otherTaker, four.seriesId, true))
      await measure('fill of four legs, warm', fill(maker, taker, four.seriesId, true))
      return four.seriesId
    }

    /** A fill and a close of a fixing that has a cap. */
    async function measureCap() {
      await measure('setDefaultCap', atCore(owner, 'setDefaultCap', [10n ** 15n]))
      const { receipt, seriesId } = await createSeries('capped')
      await measure('createSeries, first of a capped fixing', Promise.resolve(receipt))
      await fill(maker, taker, seriesId, true)
      await measure('fill under a cap, warm', fill(maker, taker, seriesId, true))
      await fill(maker, taker, seriesId, false)
      const close = atCore(maker, 'closePosition', [seriesId, 100n, maker.account.address])
      await measure('closePosition under a cap, a part', close)
      await atCore(owner, 'setDefaultCap', [0n])
    }

    /** A seller passes on what it holds; a taker closes what it has written. */
    async function measureInventory() {
      const { seriesId } = await createSeries('passed on')
      const approval = { abi: coreArtifact.abi, address: target.core, functionName: 'setApprovalForAll' }
      for (const wallet of [maker, taker]) await send(wallet, { ...approval, args: [target.settlement, true] })
      // The taker holds 750 options; the maker holds some, and has used nonces of the same word.
      for (const holder of [taker, taker, taker, maker]) await fill(first, holder, seriesId, true)
      const pass = (/** @type {bigint[]} */ ...amounts) => fillFromInventory(maker, taker, seriesId, false, amounts)
      await fill(maker, taker, seriesId, false)
      await measure('fillFromInventory, all of it', pass(250n, 0n))
      await measure('fillFromInventory, a half', pass(125n, 0n))
      const close = fillFromInventory(maker, taker, seriesId, true, [250n, 100n])
      await measure('fillFromInventory, and a close', close)
    }

    for (const wallet of traders) {
      await approve(wallet, target.core, maxUint256)
      await approve(wallet, target.settlement, maxUint256)
    }
    const [maker, taker, otherTaker, buyer, writer, otherWriter, first, second] = traders
    // So that the core holds money already, as it does for all but the very first trade.
    await fill(first, second, (await createSeries('another')).seriesId, true)

    const { receipt: created, seriesId } = await createSeries('measured')
    await measure('createSeries, first of a fixing', Promise.resolve(created))
    await measure('createSeries, each further one', Promise.resolve((await createSeries('measured', 5500)).receipt))
    await measure('fill, cold', fill(maker, taker, seriesId, true))
    await measure('fill, busy maker', fill(maker, otherTaker, seriesId, true))
    await measure('fill, warm', fill(maker, taker, seriesId, true))
    await measure('fill, taker sells, cold', fill(buyer, writer, seriesId, false))
    await measure('fill, taker sells, busy maker', fill(buyer, otherWriter, seriesId, false))
    await measure('fill, taker sells, warm', fill(buyer, writer, seriesId, false))

    /** @param {string} name @param {(size: number) => Promise<any>} send */
    async function measureFurther(name, send) {
      const single = Number((await send(1)).gasUsed)
      await measure(name, send(5))
      const { gas, logs } = measures.get(name) ?? fail()
      measures.set(name, { gas: Math.ceil((gas - single) / 4), logs })
    }
    await measureFurther('fillBatch, each further order', (size) =>
      fillSeveral('fillBatch', maker, taker, seriesId, size),
    )

    await approve(taker, target.settlement, 0n)
    await fillWithPermit(maker, taker, seriesId)
    await measure('fillWithPermit, warm', fillWithPermit(maker, taker, seriesId))
    await approve(taker, target.settlement, maxUint256)

    await fill(maker, taker, seriesId, false)
    await measure('closePosition, a part', atCore(maker, 'closePosition', [seriesId, 100n, maker.account.address]))
    await measure('closePosition, all longs', atCore(maker, 'closePosition', [seriesId, 150n, maker.account.address]))

    const four = isOurs ? await measurePackages() : null
    if (isOurs) {
      await measureCap()
      await fill(first, second, seriesId, true)
      await measureFurther('fillMany, each further order', (size) =>
        fillSeveral('fillMany', first, second, seriesId, size),
      )
      const authorize = atSettlement(first, 'authorizeSigner', [writer.account.address, EXPIRY])
      await measure('authorizeSigner', authorize)
      await measure('fill, warm, by an authorised key', fillSignedBy(first, second, seriesId, writer))
      await measure('revokeSigner', atSettlement(first, 'revokeSigner', [writer.account.address]))
      await measure('revokeAllSigners', atSettlement(first, 'revokeAllSigners', []))
      await measure('fillWithPartnerFee, warm', fillWithPartnerFee(first, second, seriesId, true))
      await fill(first, second, seriesId, false)
      await measure('fillWithPartnerFee, taker sells, warm', fillWithPartnerFee(first, second, seriesId, false))
      await approve(second, target.settlement, 0n)
      await fillFor(first, second, seriesId)
      await measure('fillFor by a permit, warm', fillFor(first, second, seriesId))
      await approve(second, target.settlement, maxUint256)
      await measure('cancelNonceRange, a word', atSettlement(first, 'cancelNonceRange', [512n, 767n]))
      const [from, to] = [writer.account.address, second.account.address]
      const move = { from, to, seriesId, amount: 10n, nonce: 0n, deadline: EXPIRY }
      const accepted = await second.signTypedData({
        domain: domainOf('ServiceCore', target.core),
        types: { ShortTransfer: shortTransferType },
        primaryType: 'ShortTransfer',
        message: move,
      })
      await measure('moveShort, to a new writer', atCore(writer, 'moveShort', [to, seriesId, 10n, EXPIRY, accepted]))
      await measure('useNonce, the first', atCore(buyer, 'useNonce', []))
    }

    if (isOurs) await measureInventory()

    await moveTo(EXPIRY)
    const attestation = await attestedBy(target, signer, { seriesId, resolutionBps: 60, validUntil: EXPIRY + 900n })
    const settle = [seriesId, 60, EXPIRY + 900n, attestation]
    await measure('settleWithAttestation', atCore(first, 'settleWithAttestation', settle))
    await measure('claimHolderPayout, a part', atCore(otherTaker, 'claimHolderPayout', [seriesId, 100n]))
    await measure('claimHolderPayout', atCore(otherTaker, 'claimHolderPayout', [seriesId, 150n]))
    await measure('claimWriterCollateral', atCore(maker, 'claimWriterCollateral', [seriesId]))
    if (isOurs) {
      await measure('claimAllFor, a holder', atCore(first, 'claimAllFor', [taker.account.address, seriesId]))
      await measure('claimMany, one series', atCore(buyer, 'claimMany', [[seriesId], buyer.account.address]))
      await measure('claimHolderPayout, four legs', atCore(otherTaker, 'claimHolderPayout', [four, 250n]))
    }
    return measures
  }

  /**
   * What people do with the authority of our core: prices of a signer that is a contract, with a dispute window, by hand, and of
   * the market itself, and changes of roles. It comes after all else, and moves the chain's time on from the first expiry.
   * @returns {Promise<Map<string, Measure>>}
   */
  async function measureAuthority() {
    /** @type {Map<string, Measure>} */
    const measures = new Map()
    const guardian = wallets[9]
    const market = compileMarket()
    const addressOf = (/** @type {any} */ { account }) => account.address.toLowerCase()
    const keys = traders.slice(0, 3).sort((a, b) => (addressOf(a) < addressOf(b) ? -1 : 1))
    const created = await owner.deployContract({ ...quorumArtifact, args: [keys.map(addressOf), 2n] }).then(receiptOf)
    measures.set('creation of a signer of two keys of three', { gas: Number(created.gasUsed), logs: '' })
    const quorum = created.contractAddress ?? fail()
    const conditionalTokens = await deploy({ ...market, args: [] })
    const condition = keccak256(toHex('a market'))
    /** @param {bigint} indexSet @returns {Promise<any>} */
    const tokenOf = (indexSet) =>
      reader.readContract({
        address: conditionalTokens,
        abi: market.abi,
        functionName: 'tokenOf',
        args: [condition, usd, indexSet],
      })
    await send(owner, {
      address: conditionalTokens,
      abi: market.abi,
      functionName: 'report',
      args: [condition, 1n, 1n],
    })
    const direct = await deployOurs({ conditionalTokens })
    const disputed = await deployOurs({ disputeWindow: 7_200n })

    /** @param {Target} target @param {any} wallet @param {string} functionName @param {unknown[]} args */
    const at = ({ core }, wallet, functionName, args) =>
      send(wallet, { address: core, abi: coreArtifact.abi, functionName, args })
    /** @param {string} name @param {Parameters<typeof at>} call */
    const measure = async (name, ...call) =>
      void measures.set(name, { gas: Number((await at(...call)).gasUsed), logs: '' })

    // A time that is the same in each run: what it is made of costs gas as calldata.
    const expiry = Number(EXPIRY) + 5 * DAY
    const validUntil = BigInt(expiry + 900)
    /** A call at 0.4500 of a fixing of its own. @param {Target} target @param {bigint} yesClobTokenId */
    async function createSeries(target, yesClobTokenId) {
      const args = [condition, yesClobTokenId, usd, 4_500, BigInt(expiry), 0]
      const receipt = await at(target, owner, 'createSeries', args)
      const terms = { conditionId: condition, yesClobTokenId, shape: 4_500n, expiry: BigInt(expiry), kind: 0 }
      return { terms, gas: Number(receipt.gasUsed), seriesId: BigInt(receipt.logs[0].topics[1] ?? 0) }
    }
    await createSeries(disputed, 9n)
    const attested = await createSeries(direct, await tokenOf(1n))
    const disowned = await createSeries(direct, await tokenOf(2n))
    measures.set('createSeries, a pair checked', { gas: attested.gas, logs: '' })
    const windowed = await createSeries(disputed, 1n)
    const vetoed = await createSeries(disputed, 2n)
    const announced = await createSeries(disputed, 3n)

    const [maker, taker] = keys
    await approve(maker, disputed.core, maxUint256)
    await approve(taker, disputed.settlement, maxUint256)
    const terms = { seriesId: windowed.seriesId, makerSelling: true, validUntil: BigInt(expiry), nonce: 0n }
    const { order, signature } = await orderOf(disputed, maker, taker, terms)
    await send(taker, {
      address: disputed.settlement,
      abi: settlementArtifact.abi,
      functionName: 'fill',
      args: [order, signature],
    })

    await measure('setHalted by the guardian', disputed, guardian, 'setHalted', [[announced.seriesId], true])
    await measure('setRole', direct, owner, 'setRole', [ROLES.halter, keys[2].account.address])
    await measure('proposeRole', direct, owner, 'proposeRole', [ROLES.signer, quorum])
    await at(disputed, owner, 'proposeRole', [ROLES.guardian, quorum])
    await measure('removeFromRole, a proposal', disputed, owner, 'removeFromRole', [ROLES.guardian, quorum])
    await at(direct, owner, 'proposeRole', [ROLES.guardian, keys[2].account.address])

    await moveTo(expiry)
    const accepted = await send(keys[0], {
      address: quorum,
      abi: quorumArtifact.abi,
      functionName: 'acceptRole',
      args: [direct.core],
    })
    measures.set('acceptRole of such a signer', { gas: Number(accepted.gasUsed), logs: '' })
    await measure('confirmRole', direct, keys[2], 'confirmRole', [ROLES.guardian])
    const settle = 'settleWithAttestation'
    /** @param {Target} target @param {typeof windowed} series @param {any[]} by */
    async function attestation(target, { seriesId }, by) {
      const message = { seriesId, resolutionBps: 60, validUntil }
      const signatures = await Promise.all(by.map((key) => attestedBy(target, key, message)))
      return [seriesId, 60, validUntil, concat(signatures)]
    }
    // The last two: those before them are read, too.
    const both = await attestation(direct, attested, keys.slice(1))
    await measure('settleWithAttestation, two keys of three', direct, keys[0], settle, both)
    const single = await attestation(disputed, windowed, [signer])
    await measure('settleWithAttestation, with a window', disputed, keys[0], settle, single)
    await at(disputed, keys[0], settle, await attestation(disputed, vetoed, [signer]))
    await measure('vetoSeries', disputed, guardian, 'vetoSeries', [vetoed.seriesId])

    await moveTo(expiry + 7_300)
    const claim = [windowed.seriesId, 100n]
    await measure('claimHolderPayout, a part, first after a window', disputed, taker, 'claimHolderPayout', claim)
    await measure('claimHolderPayout, a part, later', disputed, taker, 'claimHolderPayout', claim)

    await moveTo(expiry + 3 * DAY)
    await measure('proposeManual', disputed, owner, 'proposeManual', [announced.seriesId, 60])
    await at(direct, owner, 'proposeManual', [disowned.seriesId, 60])
    await measure('vetoManual', direct, keys[2], 'vetoManual', [disowned.seriesId])
    await measure('removeFromRole, the signer', direct, owner, 'removeFromRole', [ROLES.signer, quorum])
    await moveTo(expiry + 4 * DAY + 60)
    await measure('executeManual', disputed, owner, 'executeManual', [announced.seriesId])
    await moveTo(expiry + 7 * DAY)
    await measure('settleFromCondition', direct, keys[0], 'settleFromCondition', [disowned.terms])
    return measures
  }

  /** A deployment as `rfqctl chain deploy` makes it. @returns {Promise<Map<string, Measure>>} */
  async function measureDeployment() {
    const { abi, bytecode } = factoryArtifact
    const hashes = [coreArtifact, settlementArtifact].map((artifact) => keccak256(artifact.bytecode))
    const salt = toHex(0, { size: 32 })
    const creation = encodeDeployData({ abi, bytecode, args: [owner.account.address, ...hashes] })
    const data = concat([salt, creation])
    const created = await receiptOf(await owner.sendTransaction({ to: PROXY, data, gas: 3_000_000n }))
    const address = getContractAddress({ opcode: 'CREATE2', from: PROXY, salt, bytecode: creation })
    const setup = setupOf(getContractAddress({ from: address, nonce: 2n }), {})
    const args = [coreArtifact.bytecode, setup, settlementArtifact.bytecode]
    const deployed = await send(owner, { address, abi, functionName: 'deploy', args, gas: 12_000_000n })
    return new Map([
      ['deploy, the factory', { gas: Number(created.gasUsed), logs: '' }],
      ['deploy, core and settlement', { gas: Number(deployed.gasUsed), logs: '' }],
    ])
  }

  return { deployOurs, deployFloor, measureAll, measureAuthority, measureDeployment }
}

/** @returns {never} */
function fail() {
  throw new Error('nothing was measured')
}
