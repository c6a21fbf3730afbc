import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../kit/build.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { keep } from '../kit/keep.ts'

/** The column and the table that the next version adds. */
export const NEXT_COLUMN = 'flavour'
export const NEXT_TABLE = 'flavours'

/** What the next version does that this one does not, each as a piece of the built program and what it is there. */
const CHANGES: readonly [piece: string, next: string][] = [
  // A field more in whatever goes through Redis and Postgres as JSON.
  [
    'const body = JSON.stringify(encode(request));',
    'const body = JSON.stringify({ flavour: "sweet", ...encode(request) });',
  ],
  ['[request.requestId, encode(request)]', '[request.requestId, { flavour: "sweet", ...encode(request) }]'],
  ['\tencode(acceptance),', '\t{ flavour: "sweet", ...encode(acceptance) },'],
  ['const envelope = {', 'const envelope = { hops: 1,'],
  // A message more to each maker, and an outcome more.
  [
    'await local.publish(topic, key, message);',
    `await local.publish(topic, key, message);
     const strange = JSON.stringify({ from: node, message: topic === "acceptance" ? "put_off" : { kind: "noticed" } });
     if (topic !== "key") await connection.sendCommand(["PUBLISH", prefix + "bus:" + topic + ":" + key, strange]);`,
  ],
  // A function more in Redis, which makes it another library; and an event more for each request.
  ["register('acquire', acquire)", "register('acquire', acquire)\nregister('notice', function() return 1 end)"],
  [
    "local id = announce(prefix, 'opened', body)",
    "announce(prefix, 'noticed', requestId)\n  local id = announce(prefix, 'opened', body)",
  ],
  // A step more of the schema, which adds and takes nothing away.
  [
    'const { url, schema, migrations = MIGRATIONS } = parts;',
    `const { url, schema, migrations = [...MIGRATIONS, { version: 1_000, sql:
       "alter table requests add column ${NEXT_COLUMN} text; create table ${NEXT_TABLE} (name text primary key)" }] } = parts;`,
  ],
]

/** What of the built program runs: the bundle of the command line, and what it gives to Redis. */
const LUA = 'src/relay/adapters/live/redis/lua'
const FOLDERS = ['dist/bundle', LUA]

/** Makes a version of the program that is one ahead, out of what was built of this one; returns its folder. */
export function makeNextVersion(): string {
  const root = newFolder()
  keep(() => removeFolder(root))
  for (const name of ['bin', 'dist', LUA, 'package.json'])
    cpSync(join(ROOT, name), join(root, name), { recursive: true })
  for (const name of ['node_modules', 'fixtures', 'contracts']) symlinkSync(join(ROOT, name), join(root, name))
  const files = FOLDERS.flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
  for (const [piece, next] of CHANGES) {
    const changed = files.filter((file) => replaceIn(file, piece, next))
    // A change that finds no place would test nothing.
    if (changed.length !== 1) throw new Error(`"${piece}" is in ${changed.length} files of the built program`)
  }
  return root
}

function replaceIn(file: string, piece: string, next: string): boolean {
  const text = readFileSync(file, 'utf8')
  if (!text.includes(piece)) return false
  writeFileSync(
    file,
    text.replaceAll(piece, () => next),
  )
  return true
}
