const handlers = new Map()

/** Calls of what is not offered yet: the probe listens before the module of a process is loaded. */
const early = []

/** Answers calls of the parent process, beside other offers of the same process. Ends with the parent. */
export function offer(api) {
  if (handlers.size === 0) listen()
  for (const [name, handler] of Object.entries(api)) handlers.set(name, handler)
  for (const call of early.splice(0)) void take(call)
}

function listen() {
  process.on('message', (call) => void take(call))
  process.on('disconnect', () => process.exit())
}

async function take(call) {
  const handler = handlers.get(call.name)
  if (handler === undefined) early.push(call)
  else process.send?.(await settle(call.id, () => handler(call.input)))
}

async function settle(id, work) {
  try {
    return { id, result: await work() }
  } catch (fault) {
    return { id, fault: fault instanceof Error ? `${fault.stack}` : String(fault) }
  }
}
