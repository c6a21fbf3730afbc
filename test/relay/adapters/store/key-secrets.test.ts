import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createIds } from '../../../../src/relay/adapters/ids.ts'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import { createPostgresStore } from '../../../../src/relay/adapters/store/postgres.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { fakeIdentity } from '../../../support/fake-identity.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { POSTGRES_HINT, POSTGRES_URL, runSql, temporarySchema } from '../../../support/postgres.ts'
import { createTestRelay } from '../../../support/test-relay.ts'

const parts = { clock: createSystemClock(), log: createFakeLog() }

let cleanUp: () => Promise<unknown>
afterEach(() => cleanUp())

/** Makes a key, uses it and closes the store; returns its secret and its digest. */
async function makeKey(store: Store) {
  const { relay } = createTestRelay({ ports: { store, identity: fakeIdentity, ids: createIds() } })
  const user = await relay.authenticateUser('token-of-ada')
  const { secret, apiKey } = await relay.createApiKey({ user, name: 'desk' })
  await relay.authenticateMaker(secret)
  await store.close()
  return { secret, digest: apiKey.digest, prefix: apiKey.prefix }
}

/** What is at rest knows the key by its digest and prefix, and nothing more of it. */
function expectDigestOnly(dump: string, { secret, digest, prefix }: Awaited<ReturnType<typeof makeKey>>) {
  expect(dump).toContain(digest)
  expect(dump).toContain(prefix)
  expect(dump).not.toContain(secret.slice(prefix.length))
  expect(dump).not.toContain(Buffer.from(secret).toString('base64').slice(20, 40))
}

describe('the secret of a key is not at rest anywhere (fault B15)', () => {
  it('in the files of the embedded store', async () => {
    const folder = newFolder()
    cleanUp = async () => removeFolder(folder)
    const key = await makeKey(await createFileStore({ dir: folder, ...parts }))
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))
    expectDigestOnly(texts.join('\n'), key)
  })

  it.skipIf(POSTGRES_URL === undefined)(`in a dump of Postgres${POSTGRES_HINT}`, async () => {
    const { url, schema, drop } = temporarySchema()
    cleanUp = drop
    const key = await makeKey(await createPostgresStore({ url, schema, ...parts }))
    const [row] = await runSql<{ dump: string }>(`select schema_to_xml('${schema}', true, false, '')::text as dump`)
    expectDigestOnly(row?.dump ?? '', key)
  })
})
