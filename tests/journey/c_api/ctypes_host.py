"""A host in Python over the C API, with the standard library alone.

ctypes_host.py MODULE GRAPH OUT: runs the graph, and what must be refused; prints JSON of what it saw.
"""
import ctypes
import json
import os
import sys
import threading

OK, INVALID, CANCELLED = 0, 2, 130
EVENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p)
IMAGE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_int32, ctypes.c_int32,
                         ctypes.c_int32, ctypes.POINTER(ctypes.c_uint8))
WATCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def main(module, graph, out):
    api = ctypes.CDLL(module)
    api.lowtide_last_error.restype = ctypes.c_char_p
    api.lowtide_free.argtypes = [ctypes.c_void_p]

    def answer(function, *arguments):
        text = ctypes.c_void_p()
        status = function(*arguments, ctypes.byref(text))
        json_text = ctypes.string_at(text).decode() if text else "null"
        api.lowtide_free(text)
        return status, json.loads(json_text)

    status, refused = answer(api.lowtide_devices)
    assert status == INVALID and refused["issues"], refused
    assert b"lowtide_open" in api.lowtide_last_error()
    status, opened = answer(api.lowtide_open, b'{"threads": 1}')
    assert status == OK and opened["issues"] == [], opened
    status, info = answer(api.lowtide_info)
    assert status == OK and info["id"] == "org.lowtide.plugin"
    status, known = answer(api.lowtide_call, b"recognise", b'{"path": "builtin:mini"}', None, None)
    assert status == OK and known["runs"] and "recognise" in info["calls"], known
    for goes_on in (0, 1):
        reported = []
        new = os.path.join(out, "mini_f8.safetensors")
        watch = WATCH(lambda _user, done, total, goes_on=goes_on, reported=reported: reported.append((done, total)) or goes_on)
        request = json.dumps({"checkpoint": "builtin:mini", "storage": "f8", "out": new}).encode()
        status, converted = answer(api.lowtide_call, b"convert", request, watch, None)
        assert status == (OK if goes_on else CANCELLED) and os.path.exists(new) == bool(goes_on), converted
        assert reported and all(0 <= done <= total for done, total in reported), reported

    seen = {"events": [], "images": 0, "threads": set()}

    def on_event(_user, number, text):
        event = json.loads(text)
        assert event["run"] == number
        seen["events"].append(event["event"])
        seen["threads"].add(threading.get_ident())

    def on_image(_user, _number, _node, width, height, channels, pixels):
        seen["images"] += len(pixels[:width * height * channels]) == width * height * channels

    event, image = EVENT(on_event), IMAGE(on_image)
    run = ctypes.c_uint64()
    options = json.dumps({"out": out}).encode()
    with open(graph, "rb") as file:
        text = file.read()
    status, _ = answer(api.lowtide_start, text, options, event, image, None, ctypes.byref(run))
    assert status == OK, api.lowtide_last_error()
    status, report = answer(api.lowtide_wait, run)
    assert status == OK, report
    status, refused = answer(api.lowtide_plan, text, b'{"memory_budget": "1GiB"}')
    assert status == INVALID and "memoryBudget" in refused["issues"][0]["hint"], refused
    assert api.lowtide_stop() == OK
    print(json.dumps({"files": [each["path"] for each in report["files"]], "last": seen["events"][-1],
                      "images": seen["images"], "threads": len(seen["threads"])}))


if __name__ == "__main__":
    main(*sys.argv[1:])
