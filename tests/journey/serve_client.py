#!/usr/bin/env python3
"""A client of `lowtide serve` in Python's standard library: serve_client.py ADDRESS TOKEN SCENE

Prints nothing and exits 0 where all is as docs/serve.md has it; else the assertion.
"""
import base64
import json
import os
import pathlib
import socket
import struct
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

ADDRESS, TOKEN = sys.argv[1:3]
GRAPH = json.loads((pathlib.Path(__file__).parents[2] / "examples/graphs/text_to_image.json").read_text())
PROMPT = {
    "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "builtin:mini"}},
    "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 64, "height": 64, "batch_size": 1}},
    "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a boat", "clip": ["4", 1]}},
    "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "", "clip": ["4", 1]}},
    "3": {"class_type": "KSampler", "inputs": {"seed": 5, "steps": 3, "cfg": 7, "sampler_name": "euler", "scheduler": "normal", "denoise": 1,
                                               "model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["5", 0]}},
    "8": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["4", 2]}},
    "9": {"class_type": "SaveImage", "inputs": {"filename_prefix": "sub/Comfy", "images": ["8", 0]}},
    "10": {"class_type": "PreviewImage", "inputs": {"images": ["8", 0]}}}


def ask(method, path, body=None, token=True, headers=()):
    """Status and body of a request."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(ADDRESS + path, data=data, method=method,
                                     headers={**({"Authorization": "Bearer " + TOKEN} if token else {}), **dict(headers)})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def expect(status, method, path, body=None, **more):
    """The body of an answer with that status, as JSON where it is."""
    got, answer = ask(method, path, body, **more)
    assert got == status, f"{method} {path}: {got}, not {status}: {answer[:500]}"
    return json.loads(answer) if answer[:1] in (b"{", b"[", b'"') else answer


class WebSocket:
    def __init__(self, path):
        host, port = urllib.parse.urlsplit(ADDRESS).hostname, urllib.parse.urlsplit(ADDRESS).port
        self.socket = socket.create_connection((host, port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.file = self.socket.makefile("rb")
        assert b" 101 " in self.file.readline()
        while self.file.readline() != b"\r\n":
            pass

    def receive(self):
        """A text as JSON, or bytes."""
        while True:
            code, length = self.file.read(2)
            length &= 127
            if length == 126:
                length, = struct.unpack(">H", self.file.read(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.file.read(8))
            data = self.file.read(length)
            if code & 15 in (1, 2):
                return json.loads(data) if code & 15 == 1 else data

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        assert len(data) < 126
        self.socket.sendall(bytes([0x81, 0x80 | len(data)]) + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))


def wait_for(run, *states):
    for _ in range(600):
        now = expect(200, "GET", "/lowtide/v1/runs/" + run)
        if now["state"] in states:
            return now
        time.sleep(0.1)
    raise AssertionError(f"run {run} is {now}")


def own():
    """A run of ours, with its events, previews and files."""
    assert expect(200, "POST", "/lowtide/v1/check", {"graph": GRAPH})["issues"] == []
    assert expect(200, "POST", "/lowtide/v1/plan", {"graph": GRAPH})["plan"]["stages"]
    hears = WebSocket("/lowtide/v1/events?token=" + TOKEN)
    run = expect(201, "POST", "/lowtide/v1/runs", {"graph": GRAPH, "options": {"set": ["denoise.steps=4"], "previews": True}})["id"]
    events, images = [], []
    while not events or events[-1]["event"] != "runKept":
        message = hears.receive()
        if isinstance(message, bytes):
            size, = struct.unpack(">I", message[:4])
            images.append((json.loads(message[4:4 + size]), message[4 + size:]))
        else:
            events.append(message)
    kinds = [event["event"] for event in events]
    assert kinds[-3:] == ["runFinished", "queueChanged", "runKept"], kinds
    assert [event["node"] for event in events if event["event"] == "nodeStarted"][-1] == "save"
    assert all(event["run"] == run for event in events if event["event"] != "queueChanged")
    assert images and all(data[:3] == b"\xff\xd8\xff" and about["type"] == "image/jpeg" for about, data in images)
    kept = expect(200, "GET", "/lowtide/v1/runs/" + run)
    assert kept["state"] == "finished" and len(kept["files"]) == 1, kept
    image = expect(200, "GET", kept["files"][0]["address"])
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert expect(206, "GET", kept["files"][0]["address"], headers={"Range": "bytes=1-3"}) == b"PNG"
    assert expect(200, "GET", f"/lowtide/v1/runs/{run}/report")["status"] == "ok"
    again = WebSocket(f"/lowtide/v1/events?run={run}&token={TOKEN}")
    assert [again.receive()["event"] for _ in range(2)] == ["runStarted", "nodeStarted"]
    assert len(expect(200, "GET", f"/lowtide/v1/runs/{run}/events?from=2")["events"]) > 2
    expect(204, "POST", "/lowtide/v1/release", {})
    expect(204, "DELETE", "/lowtide/v1/runs/" + run)
    expect(404, "GET", "/lowtide/v1/runs/" + run)


def comfyui():
    """A run as ComfyUI's clients ask for it."""
    hears = WebSocket("/ws?clientId=abc")
    assert hears.receive()["data"]["sid"] == "abc"
    hears.send(json.dumps({"type": "feature_flags", "data": {"supports_preview_metadata": True}}))
    assert hears.receive()["type"] == "feature_flags"
    for repetition in range(2):  # the second one is reused
        run = expect(200, "POST", "/api/prompt", {"prompt": PROMPT, "client_id": "abc"}, token=False)["prompt_id"]
        messages = []
        while not messages or messages[-1] != {"type": "executing", "data": {"node": None, "prompt_id": run}}:
            message = hears.receive()
            if not isinstance(message, bytes):
                messages.append(message)
        kinds = [message["type"] for message in messages if message["type"] not in ("status", "progress_state", "progress")]
        assert kinds[:2] == ["execution_start", "execution_cached"] and kinds[-2:] == ["execution_success", "executing"], kinds
        assert kinds.count("executed") == 2, kinds
        assert repetition == 1 or [message["data"]["node"] for message in messages if message["type"] == "executing"][4] == "3"
        entry = expect(200, "GET", "/history/" + run, token=False)[run]
        assert entry["status"]["completed"] and sorted(entry["outputs"]) == ["10", "9"], entry
        for output in entry["outputs"].values():
            where = urllib.parse.urlencode(output["images"][0])
            assert expect(200, "GET", "/view?" + where, token=False)[:4] == b"\x89PNG"
            assert expect(200, "GET", f"/view?{where}&preview=webp;50", token=False)[:4] == b"RIFF"
    sampler = expect(200, "GET", "/object_info/KSampler", token=False)["KSampler"]
    assert sampler["input"]["required"]["model"] == ["MODEL"] and "euler" in sampler["input"]["required"]["sampler_name"][0], sampler
    assert expect(200, "GET", "/queue", token=False) == {"queue_running": [], "queue_pending": []}
    form = (b'--X\r\nContent-Disposition: form-data; name="image"; filename="p.png"\r\n\r\n%s\r\n--X--\r\n')
    kind = {"Content-Type": "multipart/form-data; boundary=X"}
    names = [expect(200, "POST", "/upload/image", form % data, token=False, headers=kind)["name"] for data in (b"one", b"one", b"two")]
    assert names == ["p.png", "p.png", "p (1).png"], names
    expect(200, "POST", "/userdata/workflows%2Fa.json?overwrite=false", b"{}", token=False)
    expect(409, "POST", "/userdata/workflows%2Fa.json?overwrite=false", b"{}", token=False)
    assert expect(200, "GET", "/userdata?dir=workflows&recurse=true", token=False) == ["a.json"]
    expect(200, "POST", "/settings/Comfy.x", b"[1]", token=False)
    assert expect(200, "GET", "/settings/Comfy.x", token=False) == [1]


def changed(node, name, value):
    prompt = json.loads(json.dumps(PROMPT))
    prompt[node]["inputs"][name] = value
    return {"prompt": prompt}


def refusals():
    """What is refused, at which node, and that nothing outside of the folders is reached."""
    expect(401, "GET", "/lowtide/v1", token=False)
    expect(200, "GET", "/lowtide/v1?token=" + TOKEN, token=False)
    expect(403, "GET", "/queue", headers={"Host": "evil.example"})
    expect(403, "POST", "/prompt", {}, headers={"Origin": "http://evil.example"})
    for options, item in (({"out": "/"}, "out"), ({"set": ["load.checkpoint=/etc/passwd"]}, "checkpoint"),
                          ({"set": ["load.checkpoint=../../x"]}, "checkpoint"), ({"timeline": "/x"}, "timeline")):
        issue = expect(400, "POST", "/lowtide/v1/runs", {"graph": GRAPH, "options": options})["issues"][0]
        assert issue["item"] == item, issue
    for path in ("/view?filename=../x.png", "/view?filename=x&type=other"):
        expect(400, "GET", path)
    for path in ("/view?filename=x&subfolder=../..", "/userdata/..%2Fx"):
        expect(403, "GET", path)
    expect(404, "POST", "/lowtide/v1/recognise", {"path": "/etc/passwd"})
    expect(400, "PUT", "/lowtide/v1/inputs/..%2Fx", b"x")
    for body, kind, node in (({}, "no_prompt", ""), ({"prompt": {}}, "prompt_no_outputs", ""),
                             ({"prompt": {"1": {"inputs": {}}}}, "invalid_prompt", ""),
                             (changed("3", "steps", -3), "prompt_outputs_failed_validation", "3"),
                             (changed("4", "ckpt_name", "none.safetensors"), "prompt_outputs_failed_validation", "4"),
                             ({"prompt": {**PROMPT, "3": {**PROMPT["3"], "class_type": "NoSuch"}}}, "prompt_outputs_failed_validation", "3")):
        answer = expect(400, "POST", "/prompt", body)
        assert answer["error"]["type"] == kind and list(answer["node_errors"]) == ([node] if node else []), answer


def control():
    """Order, cancel and clients that leave."""
    def add(steps, seed, **more):
        return expect(201, "POST", "/lowtide/v1/runs",
                      {"graph": GRAPH, "options": {"set": [f"denoise.steps={steps}", f"denoise.seed={seed}"]}, **more})["id"]

    left = WebSocket("/lowtide/v1/events?token=" + TOKEN)
    first, second, front = add(900, 1), add(2, 2), add(2, 3, first=True)
    wait_for(first, "running")
    left.socket.close()
    assert [run["id"] for run in expect(200, "GET", "/lowtide/v1/runs")["runs"]][-3:] == [first, front, second]
    expect(409, "DELETE", "/lowtide/v1/runs/" + first)
    expect(409, "POST", "/lowtide/v1/release", {})
    expect(202, "POST", f"/lowtide/v1/runs/{second}/cancel")
    expect(200, "POST", "/interrupt", {"prompt_id": "another"})
    assert expect(200, "GET", "/lowtide/v1/runs/" + first)["state"] == "running"
    expect(200, "POST", "/interrupt", b"")
    assert wait_for(first, "cancelled")["files"] == []
    wait_for(front, "finished")
    assert expect(200, "GET", "/lowtide/v1/runs/" + second)["state"] == "cancelled"
    expect(409, "POST", f"/lowtide/v1/runs/{second}/cancel")


def start():
    """A run that goes on for long."""
    run = expect(201, "POST", "/lowtide/v1/runs", {"graph": GRAPH, "options": {"set": ["denoise.steps=900"]}})["id"]
    wait_for(run, "running")


if __name__ == "__main__":
    globals()[sys.argv[3]]()
