import type { Level } from '@rfqctl/protocol/domain/surface'
import { usd6 } from '@rfqctl/protocol/domain/units'
import type {
  BlockMessage,
  Bus,
  BusMessages,
  LevelsMessage,
  MakerMessage,
  ProtectionsMessage,
  RecordsMessage,
  SuspensionsMessage,
} from '../../../core/ports/live.ts'
import {
  decode,
  decodeAcceptance,
  decodeFeedback,
  decodeOrder,
  decodeTrip,
  type Encoded,
  encode,
} from '../../store/codec.ts'
import { rejectedBy } from '../memory/bus.ts'
import { answerOf } from './connection.ts'
import type { RedisParts } from './subscriptions.ts'

type Message = BusMessages[keyof BusMessages]

/** `from` is the node that sent it. */
type Envelope = { from: string; message: unknown }

/** The kinds of each topic that this version knows; a newer node may send others (fault I12). */
const KINDS = {
  maker: new Set<string>(
    Object.keys({
      accepted: 0,
      confirmed: 0,
      rejected: 0,
      protection_tripped: 0,
      order_ended: 0,
      order_defunded: 0,
      missed: 0,
      suspended: 0,
      reinstated: 0,
    } satisfies Record<MakerMessage['kind'], 0>),
  ),
  acceptance: new Set<string>(['confirmed', 'declined', 'timed_out'] satisfies BusMessages['acceptance'][]),
  block: new Set<string>(['blocked', 'unblocked'] satisfies BlockMessage['kind'][]),
  protections: new Set<string>(['changed'] satisfies ProtectionsMessage['kind'][]),
  suspensions: new Set<string>(['changed', 'answered'] satisfies SuspensionsMessage['kind'][]),
  levels: new Set<string>(['set'] satisfies LevelsMessage['kind'][]),
  records: new Set<string>(['wanted', 'told'] satisfies RecordsMessage['kind'][]),
}

/**
 * The bus of several processes. Subscribers of this node receive a message before `publish` resolves, even when Redis
 * is down; those of other nodes at most once. `local` carries messages inside this node.
 */
export function createRedisBus(input: RedisParts & { local: Bus }): Bus {
  const { local, connection, prefix, subscriptions, node, log } = input
  const unknown = new Set<string>()

  function read(topic: keyof BusMessages, text: string): Message | null {
    const { from, message } = JSON.parse(text) as Envelope
    if (from === node) return null
    if (topic === 'key') return message as string
    const kind = topic === 'acceptance' ? (message as string) : (message as { kind: string }).kind
    if (KINDS[topic].has(kind)) {
      if (topic === 'levels') return decodeLevelsMessage(message as Encoded<LevelsMessage>)
      return topic === 'maker' ? decodeMakerMessage(message as Encoded<MakerMessage>) : (message as Message)
    }
    if (!unknown.has(kind)) log.warn('bus_message_unknown', { reason: kind })
    unknown.add(kind)
    return null
  }

  function send(topic: keyof BusMessages, key: string, message: Message): Promise<unknown> {
    const envelope: Envelope = { from: node, message: encode(message) }
    return connection.sendCommand(['PUBLISH', `${prefix}bus:${topic}:${key}`, JSON.stringify(envelope)])
  }

  return {
    publish: async (topic, key, message) => {
      await local.publish(topic, key, message)
      await answerOf(send(topic, key, message))
    },
    reject: async (rejections) => {
      await local.reject(rejections)
      // The commands of one turn leave in one write.
      await answerOf(Promise.all(rejections.map((one) => send('maker', one.makerId, rejectedBy(one)))))
    },
    subscribe: (topic, key, onMessage) => {
      const stopLocal = local.subscribe(topic, key, onMessage)
      const stopRemote = subscriptions.listen(`bus:${topic}:${key}`, (text) => {
        const message = read(topic, text)
        if (message !== null) onMessage(message as BusMessages[typeof topic])
      })
      return () => {
        stopLocal()
        stopRemote()
      }
    },
  }
}

const decodeLevelsMessage = (message: Encoded<LevelsMessage>): LevelsMessage => ({
  ...message,
  levels: message.levels.map((level) => decode<Level>(level, { bid: usd6, ask: usd6 })),
})

function decodeMakerMessage(message: Encoded<MakerMessage>): MakerMessage {
  if (message.kind === 'accepted') return { ...message, acceptance: decodeAcceptance(message.acceptance) }
  if (message.kind === 'rejected') {
    const { feedback, ...rejected } = message
    return feedback === undefined ? rejected : { ...rejected, feedback: decodeFeedback(feedback) }
  }
  if (message.kind === 'confirmed') {
    const { order, ...confirmed } = message
    return order === undefined ? confirmed : { ...confirmed, order: decodeOrder(order) }
  }
  return message.kind === 'protection_tripped' ? { ...message, trip: decodeTrip(message.trip) } : message
}
