"""Answers what a test asks of the Python client: a line of JSON in, a line of JSON out, several at once."""

import json
import sys
import threading

import prompt_hub

hubs = {}
turn = threading.Lock()


def answer(number, client, options, name, given):
    events = []
    try:
        with turn:
            if client not in hubs:
                hubs[client] = prompt_hub.PromptHub(on_event=events.append, **options), events
            hub, events = hubs[client]
        prompt = hub.get(name, **given)
        got = {"source": prompt.source, "version": prompt.version}
    except prompt_hub.PromptHubError as error:
        got = {"source": error.code, "version": None}
    with turn:
        print(json.dumps({"number": number, **got, "events": [event.type for event in events]}), flush=True)


for line in sys.stdin:
    threading.Thread(target=answer, args=json.loads(line)).start()
