import { readdirSync, readFileSync } from 'node:fs'

/** Ticks of the kernel's clock in a second, as `/proc` counts them on Linux. */
const TICKS_PER_SECOND = 100

/** The processor time of some processes and all that they started, in milliseconds. Linux only. */
export function processorMs(pids) {
  const wanted = new Set(pids)
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat)
  // A child is listed after its parent unless ids have wrapped; two rounds are enough for the depth of these trees.
  for (let round = 0; round < 2; round += 1) for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid)
  const ticks = all.filter(({ pid }) => wanted.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0)
  return (ticks / TICKS_PER_SECOND) * 1_000
}

function readStat(name) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8')
    // The name of a program may have spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user, system, usersChildren, systemsChildren] = fields.slice(11, 15).map(Number)
    return [{ pid: Number(name), parent: Number(fields[1]), ticks: user + system + usersChildren + systemsChildren }]
  } catch {
    return []
  }
}
