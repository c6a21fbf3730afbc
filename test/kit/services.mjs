// Starts a Redis and a Postgres for tests and prints their URLs, a line each. They end with it, and it with its parent.
import { findPostgres, findProgram, startPostgres, startRedis } from '../../dist/modules/sandbox/services/services.js'

const { PATH = '' } = process.env
const redis = findProgram('redis-server', PATH)
const postgres = findPostgres(PATH)
if (redis === null || postgres === null) throw new Error('redis-server or the programs of Postgres are not installed')

// What is written need not outlive the machine.
const starting = Promise.all([startRedis(redis), startPostgres(postgres, ['-F'])])

// Before they run, too: what a start has written must go.
const stop = async () => {
  const services = await starting
  await Promise.all(services.map((service) => service.stop()))
  process.exit()
}
process.on('SIGINT', stop).on('SIGTERM', stop)
const parent = process.ppid
setInterval(() => process.ppid !== parent && stop(), 1_000)

console.log((await starting).map(({ url }) => url).join('\n'))
