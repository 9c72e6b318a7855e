"""What the Python package gguf sees in a file, as JSON on standard output: read_with_gguf.py FILE"""
import json
import sys

from make_gguf_files import seen

print(json.dumps(seen(sys.argv[1])))
