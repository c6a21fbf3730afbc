/** A reporter of vitest: where the time of a run went, file by file, so that `npm test` stays quick. */

const SHOWN = 15

export default class SlowestFiles {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    const rows = modules
      .map((module) => {
        const { duration, collectDuration, setupDuration } = module.diagnostic()
        return { seconds: (duration + collectDuration + setupDuration) / 1_000, module }
      })
      .sort((a, b) => b.seconds - a.seconds)
    const sum = rows.reduce((total, { seconds }) => total + seconds, 0)
    console.log(`\nThe slowest of ${rows.length} files, in seconds; all of them: ${sum.toFixed(0)}`)
    for (const { seconds, module } of rows.slice(0, SHOWN))
      console.log(`${seconds.toFixed(1).padStart(8)}  ${module.project.name.padEnd(12)}  ${module.relativeModuleId}`)
  }
}
