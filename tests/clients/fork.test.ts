// Checks that a child of a Python program never waits for threads that only its parent has: it was forked while a request
// or a revalidation was under way, as gunicorn, Celery and multiprocessing do.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openFaultHub } from './fault-hub.ts'

const run = promisify(execFile)

const PROGRAM = `
import os, signal, sys, threading, time
from prompt_hub import PromptHub
url = sys.argv[1]

def fork(work):
    """Prints what a child returns, or that it hung."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        print(*work(), flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print("hung", flush=True)

def source(hub, name="acme/hello", **options):
    return hub.get(name, **options).source

# During a revalidation; and in a child of the child.
hub = PromptHub(url, fresh=0, revalidate=600)
hub.get("acme/hello")
def twice():
    hub.get("acme/hello")
    fork(lambda: ["grandchild", source(hub, revalidate=0)])
    return "child", source(hub, revalidate=0)
hub.get("acme/hello")
fork(twice)

# During a request.
cold = PromptHub(url)
thread = threading.Thread(target=cold.get, args=("acme/hello@2.0.0",))
thread.start()
time.sleep(0.1)
fork(lambda: ["cold", source(cold, "acme/hello@2.0.0")])
thread.join()

# While another thread holds the lock of the cache.
held = PromptHub(url)
held.get("acme/hello")
turn = held._hub._repositories._turn
with turn:
    thread = threading.Thread(target=lambda: fork(lambda: ["held", source(held)]))
    thread.start()
    thread.join()
`

test('a forked child gets its prompts', async () => {
  const hub = await openFaultHub()
  hub.outage = (request, response) => {
    setTimeout(() => hub.answer(request, response), 400)
    return true
  }
  const env = { ...process.env, PYTHONPATH: 'clients/python', PYTHONWARNINGS: 'ignore' }
  const { stdout } = await run('python3', ['-c', PROGRAM, hub.url], { env })
  expect(stdout.trim().split('\n')).toEqual(['grandchild network', 'child network', 'cold network', 'held memory'])
  await hub.stop()
})
