// Loaded into the relay of a soak before the relay itself: tidies its memory when it is asked to, and tells the bytes that
// are still in use. What a heap holds between two collections is garbage as much as anything else, and says nothing.
process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage().heapUsed)
})

// The relay must be able to end while its soak listens, and must not outlive it.
process.channel?.unref()
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
