"""Pins how the Python client behaves: the shared tables of filling and splits, and what it does in its own way."""

import asyncio
import functools
import gzip
import hashlib
import json
import os
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import prompt_hub
from prompt_hub.filling import fill_content
from prompt_hub.variable import Variable
from prompt_hub import placed, replacing, vendored
from prompt_hub.replacing import NewFiles
from prompt_hub.project import Addition, Project
from prompt_hub.requests import RequestSettings, ask_bytes
from prompt_hub.source import Source
from prompt_hub.split import LabelTarget, Split, choose_version, number_of

PROMPT = "/data/v1/repos/acme/hello"
ADDRESSES = [f"{PROMPT}.json", f"{PROMPT}/versions.json"] + [f"{PROMPT}/versions/{v}.json" for v in ("1.0.0", "1.1.0", "2.0.0")]
# What tests/clients/fault-hub.ts serves.
FILES = {path: urllib.request.urlopen(os.environ["FAULT_HUB"] + path).read() for path in ADDRESSES}


class Hub(BaseHTTPRequestHandler):
    """Each test has a class of its own, so that a late request counts for the test that sent it."""

    asked = []
    is_down = False
    replaced = {}
    packed = {}

    def do_GET(self):
        self.asked.append(self.path)
        body = self.packed.get(self.path) or self.replaced.get(self.path) or FILES.get(self.path)
        status = 500 if self.is_down else 404 if body is None else 200
        self.send_response(status)
        if self.path in self.packed:
            self.send_header("Content-Encoding", "gzip")
        if status != 200:
            body = b"{}"
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def variables_of(case):
    return [
        Variable(each["name"], "", each["type"], each["required"], each["default"], tuple(each["options"]))
        for each in case["variables"]
    ]


class Files(unittest.TestCase):
    """Files below a folder: on Windows, which cannot open folders, they are reached by their paths."""

    def test_files(self):
        for opens_folders in {vendored._OPENS_FOLDERS, False}:
            with self.subTest(opens_folders), tempfile.TemporaryDirectory() as root:
                before, vendored._OPENS_FOLDERS = vendored._OPENS_FOLDERS, opens_folders
                try:
                    self.replace_and_delete(root)
                finally:
                    vendored._OPENS_FOLDERS = before

    def replace_and_delete(self, root):
        lock = os.path.join(root, "prompts.lock")

        def replace(files, text):
            new = [NewFiles(path, data if isinstance(data, list) else [("", data)]) for path, data in files]
            with replacing.take_turn(lock) as turn:
                replacing.replace_files(lock, new, turn, text, True)

        replace([("a/b/x.md", b"one\r\n"), ("y.md", b"two")], "{}\n")
        self.assertEqual(vendored.read_vendored(root, "a/b/x.md"), b"one\r\n")
        self.assertEqual(vendored.read_vendored(root, "prompts.lock"), b"{}\n")
        self.assertIsNone(vendored.read_vendored(root, "a/missing/x.md"))
        os.mkdir(os.path.join(root, "z.md"))
        with self.assertRaises(prompt_hub.PromptHubError):
            replace([("y.md", b"new"), ("new/n.md", b"new"), ("z.md", b"new")], "[]\n")
        self.assertEqual(vendored.read_vendored(root, "y.md"), b"two")
        self.assertEqual(sorted(os.listdir(root)), ["a", "prompts.lock", "y.md", "z.md"])
        os.symlink("a", os.path.join(root, "link"))
        os.symlink("y.md", os.path.join(root, "link.md"))
        for path in ("link/b/x.md", "link.md", "y.md/x.md"):
            with self.assertRaises(prompt_hub.PromptHubError) as raised:
                vendored.read_vendored(root, path)
            self.assertEqual(raised.exception.code, "integrity")
            with self.assertRaises(prompt_hub.PromptHubError):
                placed.list_folder(root, path)
        replace([("a/s", [("SKILL.md", b"1"), ("b/c.md", b"2")])], "[]\n")
        self.assertEqual(placed.list_folder(root, "a/s"), ["SKILL.md", "b/c.md"])
        with self.assertRaises(prompt_hub.PromptHubError):
            replace([("a/s", [("SKILL.md", b"3")]), ("z.md", b"new")], "{}\n")
        self.assertEqual(placed.list_folder(root, "a/s"), ["SKILL.md", "b/c.md"])
        replace([("a/s", [("SKILL.md", b"3")])], "{}\n")
        self.assertEqual(vendored.read_vendored(root, "a/s/SKILL.md"), b"3")
        self.assertEqual(placed.list_folder(root, "a/s"), ["SKILL.md"])
        replacing.delete_file(root, "a/b/x.md")
        replacing.delete_folder(root, "a/s")
        self.assertEqual(os.listdir(os.path.join(root, "a")), ["b"])
        self.assertEqual(sorted(os.listdir(root)), ["a", "link", "link.md", "prompts.lock", "y.md", "z.md"])


class Tables(unittest.TestCase):
    def test_splits(self):
        with open("tests/fixtures/splits.json", encoding="utf-8") as file:
            table = json.load(file)
        for salt, key, number in table["literal"]:
            self.assertEqual(number_of(salt, key), number, key)
        made, digest = table["made"], hashlib.sha256()
        for at in range(made["count"]):
            number = number_of(f"{made['salt']}{at % 1000}", f"{made['keys'][at % len(made['keys'])]}{at}")
            digest.update(b"%d\n" % number)
        self.assertEqual(digest.hexdigest(), made["sha256"])
        target = LabelTarget("1.4.0", Split("1.5.0", 17, "salt"))
        chosen = [choose_version(target, key) for key in (None, "", "user-1", "user-2")]
        self.assertEqual(chosen, ["1.4.0", "1.4.0", "1.4.0", "1.5.0"])

    def test_filling(self):
        with open("tests/fixtures/filling-cases.json", encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        self.assertGreater(len(cases), 90)
        for case in cases:
            variables = variables_of(case)
            try:
                got = {"content": fill_content(case["content"], variables, case["values"])}
            except prompt_hub.PromptHubError as error:
                got = {
                    kind: [each.name for each in error.problems if each.kind == kind]
                    for kind in ("missing", "unknown", "invalid")
                }
            self.assertEqual(got, case["strict"], case["name"])

    def test_chat(self):
        with open("tests/fixtures/chat-cases.json", encoding="utf-8") as file:
            cases = [case for case in json.load(file)["cases"] if "problems" not in case]
        self.assertGreaterEqual(len(cases), 60)
        for case in cases:
            variables = variables_of(case)
            self.assertEqual(prompt_hub.split_chat(case["content"]), case["messages"], case["name"])
            try:
                got = prompt_hub.fill_chat(case["content"], variables, case["values"], case.get("history"))
            except prompt_hub.PromptHubError as error:
                got = {each.kind: [each.name] for each in error.problems}
                got = {"history": "refused"} if str(error).startswith("history: this prompt has no {{history}} line") else got
            self.assertEqual(got, case["filled"], case["name"])

    def test_chat_for_sdks_in_which_the_system_text_stands_apart(self):
        messages = prompt_hub.fill_chat('{{role "system"}}\na\n{{role "system"}}\nb\n{{role "user"}}\nc\n{{role "assistant"}}\nd', [], {})
        self.assertEqual(
            prompt_hub.for_anthropic(messages),
            {"system": "a\n\nb", "messages": [{"role": "user", "content": "c"}, {"role": "assistant", "content": "d"}]},
        )
        self.assertEqual(
            prompt_hub.for_gemini(messages),
            {
                "system_instruction": {"parts": [{"text": "a\n\nb"}]},
                "contents": [{"role": "user", "parts": [{"text": "c"}]}, {"role": "model", "parts": [{"text": "d"}]}],
            },
        )

    def test_numbers_as_javascript_spells_them(self):
        spelled = {1e21: "1e+21", 1e20: "100000000000000000000", 1e-7: "1e-7", 1e-6: "0.000001", 1.5: "1.5", -0.0: "0", 5e-324: "5e-324", 123456.789: "123456.789", 1.7976931348623157e308: "1.7976931348623157e+308"}
        for number, text in spelled.items():
            self.assertEqual(fill_content("{{n}}", [Variable("n", type="number")], {"n": number}), text)


class Behaviour(unittest.TestCase):
    def setUp(self):
        self.hub = type("OneHub", (Hub,), {"asked": []})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.hub)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.events = []
        self.folder = tempfile.TemporaryDirectory()
        self.lock = os.path.join(self.folder.name, "prompts.lock")

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    def open(self, **options):
        return prompt_hub.PromptHub(**{"url": self.url, "retries": 0, "timeout": 2.0, "on_event": self.events.append, **options})

    def code(self, call, *arguments, **options):
        with self.assertRaises(prompt_hub.PromptHubError) as caught:
            call(*arguments, **options)
        return caught.exception.code

    def test_which_version(self):
        hub = self.open()
        for name, version in (("acme/hello", "1.1.0"), ("acme/hello@2.0.0", "2.0.0"), ("acme/hello@~1.0", "1.0.0"), ("acme/hello@production", "1.0.0")):
            prompt = hub.get(name)
            record = json.loads(FILES[f"{PROMPT}/versions/{version}.json"])["data"]
            self.assertEqual((prompt.version, prompt.content, prompt.sha256), (version, record["content"], record["content_sha256"]))
        self.assertEqual(hub.get("acme/hello", range="*").version, "1.1.0")
        for name in ("acme/nothing", "acme/hello@9.9.9", "acme/hello@^2", "acme/hello@nothing"):
            self.assertEqual(self.code(hub.get, name), "not_found")
        self.assertEqual(self.code(hub.get, "../etc"), "invalid_request")

    def test_many_threads_are_one_request(self):
        hub = self.open()
        with ThreadPoolExecutor(32) as pool:
            list(pool.map(lambda _: hub.get("acme/hello"), range(1000)))
        self.assertEqual(self.hub.asked, [f"{PROMPT}.json"])

    def test_what_changes_later_is_heard_of(self):
        hub = self.open(fresh=0)
        hub.get("acme/hello@1.1.0")
        self.wait_for(lambda: len(self.hub.asked) == 3)
        path = f"{PROMPT}/versions.json"
        rows = [{**row, "yanked": True, "yank_reason": "late"} for row in json.loads(FILES[path])["data"]]
        self.hub.replaced = {path: json.dumps({"data": rows}).encode()}

        def says_late():
            hub.get("acme/hello@1.1.0")
            return "late" in [event.message for event in self.events]

        self.wait_for(says_late)

    def wait_for(self, holds):
        for _ in range(500):
            if holds():
                return
            time.sleep(0.01)
        self.fail("it never came true")

    def test_lock(self):
        ask = functools.partial(ask_bytes, RequestSettings())
        project = Project(self.lock, lambda lock: Source(lock.hub if lock else self.url, ask), print, "prompt-hub")
        self.assertEqual([each.version for each in project.add([Addition("acme/hello", "^1")])], ["1.1.0"])
        with open(self.lock, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(prompt_hub.format_lock(prompt_hub.parse_lock(text)), text)
        self.hub.asked, self.hub.is_down = [], True
        hub = self.open(url=None, lock=self.lock)
        # The greeting is optional, which only its declaration says.
        self.assertEqual(hub.get("acme/hello").fill(name="Ann"), "Hello Ann, ")
        self.assertEqual(self.code(hub.get, "acme/other"), "not_locked")
        self.assertEqual((self.hub.asked, self.events), ([], []))

    def test_errors_name_what_to_do(self):
        prompt = self.open().get("acme/hello")
        with self.assertRaisesRegex(prompt_hub.PromptHubError, "^acme/hello 1.1.0: name: missing required value; nmae: unknown"):
            prompt.fill(nmae="x")
        away = self.open(url="http://127.0.0.1:9")
        fallback = away.get("acme/hello", fallback="Hi {{name}}")
        with self.assertRaisesRegex(prompt_hub.PromptHubError, "^the fallback of acme/hello: name: missing"):
            fallback.fill()
        self.assertEqual(fallback.fill(name="Ann", greeting="x"), "Hi Ann")
        self.assertIn(prompt_hub.Event("unused_values", "acme/hello", "greeting"), self.events)
        chat = away.get("acme/hello", fallback='{{role "user"}}\n{{name}}\n')
        with self.assertRaisesRegex(prompt_hub.PromptHubError, "use messages instead of fill"):
            chat.fill(name="Ann")
        self.assertEqual(chat.messages({"name": "Ann", "x": 1}), [{"role": "user", "content": "Ann"}])
        with self.assertRaisesRegex(prompt_hub.PromptHubError, "did not respond: .*refused"):
            away.get("acme/hello")
        with self.assertRaisesRegex(prompt_hub.PromptHubError, "^lock: expected the path of a prompts.lock, got Lock"):
            self.open(lock=prompt_hub.Lock("http://localhost", {}))

    def test_a_proxy_that_compresses_unasked(self):
        path = f"{PROMPT}/versions/1.1.0.json"
        self.hub.packed = {path: gzip.compress(FILES[path])}
        self.assertEqual(self.open().get("acme/hello@1.1.0").content, "Hello {{name}}, {{ greeting }}")
        for body, message in ((gzip.compress(b" " * 50_000_000), "too large"), (b"no gzip", "cannot be read")):
            self.hub.packed = {path: body}
            with self.assertRaisesRegex(prompt_hub.PromptHubError, message):
                self.open().get("acme/hello@1.1.0")

    def test_asyncio(self):
        async def several():
            hub = prompt_hub.AsyncPromptHub(self.url)
            return await asyncio.gather(*(hub.get("acme/hello") for _ in range(20)))

        self.assertEqual({prompt.version for prompt in asyncio.run(several())}, {"1.1.0"})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
