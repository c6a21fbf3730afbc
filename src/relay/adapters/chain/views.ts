import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { numberToHex, type PublicClient } from 'viem'

/**
 * Calls a view function with its encoded arguments and returns the first `words` 32-byte words of its answer. All calls
 * of one turn of the event loop share one call to the node, and so one block. Fails with a `ViewRevertedError` when the
 * contract reverts or has no such function.
 */
export type View = (
  contract: Address,
  data: Hex,
  words?: number,
  /** The block to read in, by its hash; the newest by default. */
  blockHash?: Hex,
) => Promise<readonly bigint[]>

/**
 * Calls a view function that runs a stranger's code and returns the first word of its answer. It shares its call to the
 * node with no other view and has `gas` for all of it. Such code can use up its gas, and then fails like one that
 * reverts: no fault of the node looks like it.
 */
export type BoundedView = (contract: Address, data: Hex, gas: bigint) => Promise<bigint>

/** A contract refused a view call. No bytes: it gave no reason, or is not one of our contracts. */
export class ViewRevertedError extends Error {
  override readonly name = 'ViewRevertedError'
  readonly data: Hex

  constructor(contract: Address, data: Hex) {
    super(`The contract ${contract} refused a view call.`)
    this.data = data
  }
}

/**
 * A program that makes several static calls and returns their answers. It travels with each call to the node as code
 * that creates a contract, so no such contract needs to be on the chain. The calls follow it: 20 bytes of address, 2 of
 * length, and the call data. For each call it returns a word with twice the length of its answer, plus one when it
 * succeeded, and the answer.
 */
export const PROGRAM = [
  '60553803', // end = bytes after this program
  '8060556000', // copy all of it
  '39', // .. into memory
  '806000', // stack: end, out = end, in = 0
  '5b', // loop:
  '8281101560', // when in has reached end
  '4e57', // .. continue at done
  '8051', // the word at in
  '8060501c61ffff16', // .. its length
  '9060601c', // .. its address
  '60006000838560160184', // static call of that address with the data after the length
  '5afa9050',
  '3d60011b178352', // at out: twice the length of the answer, and whether it succeeded
  '3d60008460', // .. and the answer
  '20013e',
  '01601601', // in += 22 + length
  '903d60200101', // out += 32 + length of the answer
  '90600d56', // again
  '5b', // done:
  '5081900390f3', // return the bytes between end and out
].join('')

/**
 * A program that makes one static call to a stranger's code: it takes only the first word of the answer, however long
 * it is, and keeps back enough gas to return, whatever that code uses up. 20 bytes of address and the call data follow
 * it. It returns the same form as the other program does for an answer of one word, or of none where there was less.
 */
export const BOUNDED_PROGRAM = [
  '60303803', // n = bytes after this program
  '8060306000', // copy all of it
  '39', // .. into memory
  '60149003', // the length of the call data
  '60208091', // .. with a word at 32 for the answer
  '6014', // the call data is at 20
  '60005160601c', // the address
  '619c405a03', // all gas but 40,000
  'fa', // static call
  '601f3d11', // whether it answered a word at the least
  '60061b', // .. as twice its length
  '17', // .. and whether it succeeded
  '600052', // at 0
  '60406000f3', // return that and the word
].join('')

const WORD_BYTES = 32
/**
 * The most that one call to the node may return: some 250 reads of a word. A node treats it as the code of a new
 * contract, which may not be longer than 24,576 bytes; nor may the program with its data be longer than 49,152.
 * @see EIP-170, EIP-3860
 */
const MAX_ANSWER_BYTES = 16_384

type Call = {
  contract: Address
  data: Hex
  words: number
  blockHash: Hex | undefined
  resolve: (words: readonly bigint[]) => void
  reject: (fault: unknown) => void
}

/** Views through a node's `eth_call`. A fault of the node is one error for all that were read together. */
export function createView(node: Pick<PublicClient, 'request'>): View {
  let gathered: Call[] = []

  function send(): void {
    const calls = gathered
    gathered = []
    for (const blockHash of new Set(calls.map((call) => call.blockHash))) {
      const ofBlock = calls.filter((call) => call.blockHash === blockHash)
      for (const batch of splitBySize(ofBlock)) void answer(node, batch, { blockHash })
    }
  }

  return (contract, data, words = 1, blockHash = undefined) =>
    new Promise((resolve, reject) => {
      if (gathered.length === 0) setImmediate(send)
      gathered.push({ contract, data, words, blockHash, resolve, reject })
    })
}

/** Views of a stranger's code through a node's `eth_call`. Views of one turn may share a request, never a call. */
export const createBoundedView =
  (node: Pick<PublicClient, 'request'>): BoundedView =>
  async (contract, data, gas) => {
    const program: Hex = `0x${BOUNDED_PROGRAM}${contract.slice(2)}${data.slice(2)}`
    const call = { data: program, gas: numberToHex(gas) }
    const returned = await node.request({ method: 'eth_call', params: [call, 'latest'] })
    return new Promise((resolve, reject) => {
      settle([{ contract, words: 1, resolve: ([word = 0n]) => resolve(word), reject }], returned)
    })
  }

function splitBySize(calls: readonly Call[]): readonly (readonly Call[])[] {
  const batches: Call[][] = []
  let left = 0
  for (const call of calls) {
    const bytes = WORD_BYTES * (1 + call.words)
    if (bytes > left || batches.length === 0) {
      batches.push([])
      left = MAX_ANSWER_BYTES
    }
    left -= bytes
    batches.at(-1)?.push(call)
  }
  return batches
}

async function answer(
  node: Pick<PublicClient, 'request'>,
  calls: readonly Call[],
  { blockHash }: { blockHash: Hex | undefined },
): Promise<void> {
  try {
    const data: Hex = `0x${PROGRAM}${calls.map(encodeCall).join('')}`
    // A block that is no longer on the chain is refused: its reads belong to events of the same chain.
    const block = blockHash === undefined ? 'latest' : { blockHash, requireCanonical: true }
    const returned = await node.request({ method: 'eth_call', params: [{ data }, block] })
    settle(calls, returned)
  } catch (fault) {
    for (const { reject } of calls) reject(fault)
  }
}

const encodeCall = ({ contract, data }: Call): string => {
  const length = (data.length - 2) / 2
  return contract.slice(2) + length.toString(16).padStart(4, '0') + data.slice(2)
}

/** Throws for bytes that the program cannot have returned. */
function settle(calls: readonly Omit<Call, 'data' | 'blockHash'>[], returned: Hex): void {
  let at = 2
  for (const { contract, words, resolve, reject } of calls) {
    const head = Number.parseInt(returned.slice(at + 48, at + 64), 16)
    const start = at + 64
    at = start + 2 * Math.floor(head / 2)
    if (!(at <= returned.length)) throw new Error('The node truncated the answer to a call.')
    const succeeded = head % 2 === 1
    if (succeeded && at - start >= 64 * words) {
      resolve(Array.from({ length: words }, (_, i) => wordAt(returned, start + 64 * i)))
    } else {
      reject(new ViewRevertedError(contract, `0x${succeeded ? '' : returned.slice(start, at)}`))
    }
  }
}

const wordAt = (hex: Hex, at: number): bigint => BigInt(`0x${hex.slice(at, at + 64)}`)

export const encodeView = (selector: Hex, ...args: readonly (bigint | Address)[]): Hex =>
  `${selector}${args.map(encodeWord).join('')}`

const encodeWord = (value: bigint | Address): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(2 * WORD_BYTES, '0')
