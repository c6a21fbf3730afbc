import { createLocalBus, rejectedBy } from '../../../src/relay/adapters/live/memory/bus.ts'
import type { Bus, BusMessages } from '../../../src/relay/core/ports/live.ts'
import type { MarketParts } from './parts.ts'

type Envelope = { from: string; message: BusMessages[keyof BusMessages] }

/** The bus of several nodes: subscribers of this node receive a message at once, those of others at most once. */
export function createMarketBus({
  node,
  log,
  listen,
  publish,
}: MarketParts & {
  publish: (channel: string, message: unknown) => Promise<void>
}): Bus {
  const local = createLocalBus({ log })
  const send = (topic: keyof BusMessages, key: string, message: Envelope['message']): Promise<void> =>
    publish(`bus:${topic}:${key}`, { from: node, message } satisfies Envelope)

  return {
    publish: async (topic, key, message) => {
      await local.publish(topic, key, message)
      await send(topic, key, message)
    },
    reject: async (rejections) => {
      await local.reject(rejections)
      await Promise.all(rejections.map((one) => send('maker', one.makerId, rejectedBy(one))))
    },
    subscribe: (topic, key, onMessage) => {
      const stopLocal = local.subscribe(topic, key, onMessage)
      const stopRemote = listen(`bus:${topic}:${key}`, (envelope) => {
        const { from, message } = envelope as Envelope
        if (from !== node) onMessage(message as BusMessages[typeof topic])
      })
      return () => {
        stopLocal()
        stopRemote()
      }
    },
  }
}
