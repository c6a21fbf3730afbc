import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { createOwnRedis, type OwnRedis } from './own-redis.ts'

/** A Redis Sentinel of a test's own, which watches one primary. */
export type OwnSentinel = {
  /** The port of the server that it holds for the primary. */
  primaryPort: () => Promise<number>
  countReplicas: () => Promise<number>
  remove: () => Promise<void>
}

/** After how long without an answer the primary counts as gone, in milliseconds. */
const DOWN_AFTER_MS = 1_000

const NAME = 'market'

/** A sentinel that decides alone, started. */
export async function createOwnSentinel({ primaryPort }: { primaryPort: number }): Promise<OwnSentinel> {
  const dir = newFolder()
  const config = join(dir, 'sentinel.conf')
  writeFileSync(
    config,
    [
      `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 1`,
      `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${NAME} 10000`,
    ].join('\n'),
  )
  const sentinel: OwnRedis = await createOwnRedis({ config })
  return {
    primaryPort: async () => Number((await sentinel.send<string[]>('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME))[1]),
    countReplicas: async () => (await sentinel.send<string[][]>('SENTINEL', 'REPLICAS', NAME)).length,
    remove: async () => {
      await sentinel.kill()
      removeFolder(dir)
    },
  }
}
