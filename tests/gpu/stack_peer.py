#!/usr/bin/env python3
"""The stack of stack_bench.cpp in PyTorch, offloaded as people do it today; prints one JSON list.

    stack_peer.py WIDTH LAYERS TOKENS DEVICE

Ways: resident; diffusers' group offload by block and by leaf, with a stream, with and without record_stream; accelerate's
cpu_offload. A way that this Python cannot do says why. DEVICE "cpu" runs the resident way alone (a check of this file).
"""

import json
import statistics
import sys
import time

import torch

PASSES = 5


class Layer(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = torch.nn.Linear(width, 3 * width, bias=False)
        self.out = torch.nn.Linear(width, width, bias=False)
        self.up = torch.nn.Linear(width, 4 * width, bias=False)
        self.down = torch.nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        for index, part in enumerate((self.qkv, self.out, self.up, self.down)):
            y = part(x)
            x = y[..., : self.out.in_features] if index == 0 else y
            x = x / (x.abs().amax() + 1)
        return x


class Stack(torch.nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Layer(width) for _ in range(layers))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def resident(stack, device):
    stack.to(device)


def group(kind, record):
    def apply(stack, device):
        from diffusers.hooks import apply_group_offloading

        apply_group_offloading(
            stack,
            onload_device=device,
            offload_device=torch.device("cpu"),
            offload_type=kind,
            num_blocks_per_group=1 if kind == "block_level" else None,
            use_stream=True,
            record_stream=record,
        )

    return apply


def accelerated(stack, device):
    from accelerate import cpu_offload

    cpu_offload(stack, execution_device=device)


WAYS = {
    "resident": resident,
    "diffusers, block, stream": group("block_level", False),
    "diffusers, block, stream, record": group("block_level", True),
    "diffusers, leaf, stream": group("leaf_level", False),
    "diffusers, leaf, stream, record": group("leaf_level", True),
    "accelerate": accelerated,
}


def finish(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def measure(apply, width, layers, tokens, device):
    with torch.device("cpu"):
        stack = Stack(width, layers).to(torch.bfloat16).eval()
    for parameter in stack.parameters():
        parameter.requires_grad_(False)
    apply(stack, device)
    x = torch.full((tokens, width), 0.5, dtype=torch.bfloat16, device=device)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    seconds = []
    with torch.inference_mode():
        for _ in range(PASSES + 1):
            begin = time.perf_counter()
            stack(x)
            finish(device)
            seconds.append(time.perf_counter() - begin)
    peak = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else 0
    return {"seconds": statistics.median(seconds[1:]), "slowest": max(seconds[1:]), "peak": peak}


def main():
    width, layers, tokens = (int(word) for word in sys.argv[1:4])
    device = torch.device(sys.argv[4])
    rows = []
    for name, apply in WAYS.items():
        if device.type == "cpu" and name != "resident":
            continue
        try:
            rows.append({"way": name, **measure(apply, width, layers, tokens, device)})
        except Exception as error:  # noqa: BLE001 - a peer that cannot is a row, not the end
            rows.append({"way": name, "refused": f"{type(error).__name__}: {error}"[:200]})
        if device.type == "cuda":
            torch.cuda.empty_cache()
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
