import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  concat,
  createPublicClient,
  createWalletClient,
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
const ROLES = { guardian: 1, signer: 2 }
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
]

/** @param {string} name */
const artifactOf = (name) => JSON.parse(readFileSync(join(root, 'contracts/artifacts', `${name}.json`), 'utf8'))
const [coreArtifact, settlementArtifact, usdArtifact] = ['ServiceCore', 'ServiceRFQSettlement', 'TestUSD'].map(
  artifactOf,
)

/** Two contracts of the tests: a signer by two keys of three, and a market that reports its own resolution. */
function compileOthers() {
  const places = {
    TwoOfThree: 'contracts/test/unit/settle/ContractSigner.t.sol',
    Market: 'contracts/test/unit/settle/LastResort.t.sol',
  }
  const sources = Object.fromEntries(
    Object.values(places).map((path) => [path, { content: readFileSync(join(root, path), 'utf8') }]),
  )
  const output = compile(sources, productionSettings, { '*': { '*': ['abi', 'evm.bytecode.object'] } })
  return Object.entries(places).map(([name, path]) => {
    const { abi, evm } = output.contracts[path][name]
    return { abi, bytecode: /** @type {`0x${string}`} */ (`0x${evm.bytecode.object}`) }
  })
}

/**
 * @typedef {{ gas: number, logs: string }} Measure
 * @typedef {{ core: `0x${string}`, settlement: `0x${string}` }} Target
 */

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

  /** @param {{ disputeWindow?: bigint, conditionalTokens?: `0x${string}` }} [other] than none @returns {Promise<Target>} */
  async function deployOurs({ disputeWindow = 0n, conditionalTokens = zeroAddress } = {}) {
    const target = await nextTarget()
    const setup = {
      stablecoin: usd,
      settlement: target.settlement,
      owner: owner.account.address,
      registrar: owner.account.address,
      guardian: wallets[9].account.address,
      resolutionSigner: signer.account.address,
      disputeWindow,
      conditionalTokens,
      uri: 'https://rfq.example/series/{id}',
    }
    await deploy({ ...coreArtifact, args: [setup] })
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
    /** @param {any} wallet @param {`0x${string}`} spender @param {bigint} amount */
    const approve = (wallet, spender, amount) =>
      send(wallet, { address: usd, abi: usdArtifact.abi, functionName: 'approve', args: [spender, amount] })

    const domain = {
      name: 'ServiceRFQSettlement',
      version: '1',
      chainId: CHAIN_ID,
      verifyingContract: target.settlement,
    }

    /** @param {any} maker @param {any} taker @param {bigint} seriesId @param {boolean} makerSelling @param {any} [key] signs for the maker */
    async function signedOrder(maker, taker, seriesId, makerSelling, key = maker) {
      const order = {
        maker: maker.account.address,
        seriesId,
        optionAmount: 250n,
        premiumAmount: 77_500_000n,
        makerSelling,
        taker: taker.account.address,
        validUntil: EXPIRY,
        nonce: nonce++,
      }
      const types = { Order: orderType }
      return { order, signature: await key.signTypedData({ domain, types, primaryType: 'Order', message: order }) }
    }
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
      const authorization = { orderHash, maxFee: fee, feeRecipient: owner.account.address, deadline: EXPIRY }
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
      return atSettlement(taker, 'fillFromInventory', [order, signature, ...amounts])
    }
    /** @param {string} condition @param {number} [strikeBps] @param {number} [optionType] */
    const createSeries = async (condition, strikeBps = 4500, optionType = 0) => {
      const terms = [keccak256(toHex(condition)), 123n, strikeBps, EXPIRY, optionType]
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
        [5500, 0],
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
    await measure('createSeries', Promise.resolve(created))
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
      await fill(first, second, seriesId, true)
      await measureFurther('fillMany, each further order', (size) =>
        fillSeveral('fillMany', first, second, seriesId, size),
      )
      const authorize = atSettlement(first, 'authorizeSigner', [writer.account.address, EXPIRY])
      await measure('authorizeSigner', authorize)
      await measure('fill, warm, by an authorised key', fillSignedBy(first, second, seriesId, writer))
      await measure('revokeSigner', atSettlement(first, 'revokeSigner', [writer.account.address]))
      await approve(second, target.settlement, 0n)
      await fillFor(first, second, seriesId)
      await measure('fillFor by a permit, warm', fillFor(first, second, seriesId))
      await approve(second, target.settlement, maxUint256)
      await measure('cancelNonceRange, a word', atSettlement(first, 'cancelNonceRange', [512n, 767n]))
      const [from, to] = [writer.account.address, second.account.address]
      const move = { from, to, seriesId, amount: 10n, nonce: 0n, deadline: EXPIRY }
      const coreDomain = { name: 'ServiceCore', version: '1', chainId: CHAIN_ID, verifyingContract: target.core }
      const types = { ShortTransfer: shortTransferType }
      const accepted = await second.signTypedData({
        domain: coreDomain,
        types,
        primaryType: 'ShortTransfer',
        message: move,
      })
      await measure('moveShort, to a new writer', atCore(writer, 'moveShort', [to, seriesId, 10n, EXPIRY, accepted]))
    }

    if (isOurs) await measureInventory()

    await reader.request({
      method: /** @type {any} */ ('evm_setNextBlockTimestamp'),
      params: /** @type {any} */ ([toHex(EXPIRY)]),
    })
    const attestation = await signer.signTypedData({
      domain: { name: 'ServiceCore', version: '1', chainId: CHAIN_ID, verifyingContract: target.core },
      types: { SettlementAttestation: attestationType },
      primaryType: 'SettlementAttestation',
      message: { seriesId, resolutionBps: 60, validUntil: EXPIRY + 900n },
    })
    const settle = [seriesId, 60, EXPIRY + 900n, attestation]
    await measure('settleWithAttestation', atCore(first, 'settleWithAttestation', settle))
    if (four !== null) {
      const of = { seriesId: four, resolutionBps: 60, validUntil: EXPIRY + 900n }
      const domain = { name: 'ServiceCore', version: '1', chainId: CHAIN_ID, verifyingContract: target.core }
      const types = { SettlementAttestation: attestationType }
      const price = await signer.signTypedData({ domain, types, primaryType: 'SettlementAttestation', message: of })
      const args = [...Object.values(of), price]
      await measure('settleWithAttestation, four legs', atCore(first, 'settleWithAttestation', args))
    }
    await measure('claimHolderPayout, a part', atCore(otherTaker, 'claimHolderPayout', [seriesId, 100n]))
    await measure('claimHolderPayout', atCore(otherTaker, 'claimHolderPayout', [seriesId, 150n]))
    await measure('claimWriterCollateral', atCore(maker, 'claimWriterCollateral', [seriesId]))
    if (isOurs) {
      await measure('claimAllFor, a holder', atCore(first, 'claimAllFor', [taker.account.address, seriesId]))
      await measure('claimMany, one series', atCore(buyer, 'claimMany', [[seriesId], buyer.account.address]))
    }
    return measures
  }

  /**
   * What people do with the authority of our core: prices of a signer that is a contract, with a dispute window, and of the
   * market itself, and changes of roles. It comes after all else, and moves the chain's time on from the first expiry.
   * @returns {Promise<Map<string, Measure>>}
   */
  async function measureAuthority() {
    /** @type {Map<string, Measure>} */
    const measures = new Map()
    const guardian = wallets[9]
    const [signers, market] = compileOthers()
    const keys = traders.slice(0, 3)
    const twoOfThree = await deploy({ ...signers, args: [keys.map(({ account }) => account.address)] })
    const conditionalTokens = await deploy({ ...market, args: [] })
    const condition = keccak256(toHex('a market'))
    /** @param {string} functionName @param {unknown[]} args @returns {Promise<any>} */
    const read = (functionName, args) =>
      reader.readContract({ address: conditionalTokens, abi: market.abi, functionName, args })
    const token = await read('tokenOf', [usd, condition, 0n])
    await send(owner, {
      address: conditionalTokens,
      abi: market.abi,
      functionName: 'resolve',
      args: [condition, 1n, 1n],
    })
    const { core: direct } = await deployOurs({ conditionalTokens })
    const { core: disputed } = await deployOurs({ disputeWindow: 7_200n })

    /** @param {`0x${string}`} core @param {any} wallet @param {string} functionName @param {unknown[]} args */
    const at = (core, wallet, functionName, args) =>
      send(wallet, { address: core, abi: coreArtifact.abi, functionName, args })
    /** @param {string} name @param {number} gas */
    const note = (name, gas) => void measures.set(name, { gas, logs: '' })
    /** @param {string} name @param {Parameters<typeof at>} call */
    const measure = async (name, ...call) => note(name, Number((await at(...call)).gasUsed))
    /** @param {number} time Unix seconds of the next block */
    const moveTo = (time) =>
      reader.request({
        method: /** @type {any} */ ('evm_setNextBlockTimestamp'),
        params: /** @type {any} */ ([toHex(time)]),
      })
    /** @param {`0x${string}`} core @param {bigint} yesClobTokenId @param {number} strikeBps @param {number} expiry */
    async function createSeries(core, yesClobTokenId, strikeBps, expiry) {
      const terms = {
        conditionId: condition,
        yesClobTokenId,
        shape: BigInt(strikeBps),
        expiry: BigInt(expiry),
        kind: 0,
      }
      const receipt = await at(core, owner, 'createSeries', Object.values(terms))
      return { terms, seriesId: BigInt(receipt.logs[0].topics[1] ?? 0) }
    }
    /** @param {`0x${string}`} core @param {any} by @param {bigint} seriesId @param {number} resolutionBps @param {number} validUntil */
    const attested = (core, by, seriesId, resolutionBps, validUntil) =>
      by.signTypedData({
        domain: { name: 'ServiceCore', version: '1', chainId: CHAIN_ID, verifyingContract: core },
        types: { SettlementAttestation: attestationType },
        primaryType: 'SettlementAttestation',
        message: { seriesId, resolutionBps, validUntil: BigInt(validUntil) },
      })

    // A time that is the same in each run: what it is made of costs gas as calldata.
    const expiry = Number(EXPIRY) + 5 * DAY
    const validUntil = expiry + 900
    /** @param {`0x${string}`} core @param {number} size */
    async function createMany(core, size) {
      /** @type {Awaited<ReturnType<typeof createSeries>>[]} */
      const created = []
      for (let i = 0; i < size; i++) created.push(await createSeries(core, token, 1_000 + 100 * i, expiry))
      return created
    }
    const [one, ...several] = await createMany(direct, 8)
    const [windowed, vetoed, left, right, halted] = await createMany(disputed, 5)

    await measure('setHalted by the guardian', disputed, guardian, 'setHalted', [[halted.seriesId], true])
    await measure('proposeRole', direct, owner, 'proposeRole', [ROLES.signer, twoOfThree])
    await at(disputed, owner, 'proposeRole', [ROLES.guardian, twoOfThree])
    await measure('removeFromRole, a proposal', disputed, owner, 'removeFromRole', [ROLES.guardian, twoOfThree])

    await moveTo(expiry)
    /** @param {typeof several} series @returns {Promise<unknown[]>} */
    const listed = async (series) => [
      series.map(({ seriesId }) => ({ seriesId, resolutionBps: 60, validUntil: BigInt(validUntil) })),
      await Promise.all(series.map(({ seriesId }) => attested(direct, signer, seriesId, 60, validUntil))),
    ]
    const first = await at(direct, keys[0], 'settleMany', await listed(several.slice(0, 1)))
    const five = await at(direct, keys[0], 'settleMany', await listed(several.slice(1, 6)))
    note('settleMany, each further series', Math.ceil((Number(five.gasUsed) - Number(first.gasUsed)) / 4))

    /** @param {typeof one} series @param {number} price @returns {Promise<unknown[]>} */
    const priced = async ({ seriesId }, price) => [
      seriesId,
      price,
      BigInt(validUntil),
      await attested(disputed, signer, seriesId, price, validUntil),
    ]
    const settle = 'settleWithAttestation'
    await measure('settleWithAttestation, with a window', disputed, keys[0], settle, await priced(windowed, 60))
    for (const [series, price] of /** @type {const} */ ([
      [vetoed, 60],
      [left, 60],
      [right, 61],
    ])) {
      await at(disputed, keys[0], settle, await priced(series, price))
    }
    await measure('vetoSeries', disputed, guardian, 'vetoSeries', [vetoed.seriesId])
    await measure('contradict, two series', disputed, keys[0], 'contradict', [left.terms, right.terms])

    await measure('confirmRole', direct, owner, 'confirmRole', [ROLES.signer])
    const signatures = keys.slice(0, 2).map((key) => attested(direct, key, one.seriesId, 60, validUntil))
    const both = concat(await Promise.all(signatures))
    await measure('settleWithAttestation, two keys of three', direct, keys[0], settle, [
      one.seriesId,
      60,
      BigInt(validUntil),
      both,
    ])
    await measure('removeFromRole, the signer', direct, guardian, 'removeFromRole', [ROLES.signer, twoOfThree])

    await moveTo(expiry + 31 * DAY)
    await measure('settleFromCondition', direct, keys[0], 'settleFromCondition', [several[6].terms, usd])
    return measures
  }

  return { deployOurs, deployFloor, measureAll, measureAuthority }
}

/** @returns {never} */
function fail() {
  throw new Error('nothing was measured')
}
