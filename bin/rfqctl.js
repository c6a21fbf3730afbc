#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/bundle/main.js', import.meta.url)
if (existsSync(main)) {
  await import(main.href)
} else {
  console.error('error: rfqctl is not built\n  try: npm run build')
  process.exitCode = 1
}
