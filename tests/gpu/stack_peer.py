#!/usr/bin/env python3
"""The stack of stack_bench.cpp in PyTorch, offloaded as users do it today (offload_ways.py); prints one JSON list.

    stack_peer.py WIDTH LAYERS TOKENS DEVICE

DEVICE "cpu" runs the resident way alone (a check of this file).
"""

import json
import sys

import torch
from offload_ways import measure_all

FORWARDS = 5
NUMBERS = 1 << 22


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


def make_stack(width, layers):
    """Random weights of a trained layer's size: some numbers over and over, drawing 13 billion takes minutes."""
    with torch.device("meta"):
        stack = Stack(width, layers).to(torch.bfloat16)
    stack.to_empty(device="cpu")
    numbers = (torch.randn(NUMBERS, generator=torch.Generator().manual_seed(4)) * 0.02).to(torch.bfloat16)
    for parameter in stack.parameters():
        for part in parameter.data.view(-1).split(NUMBERS):
            part.copy_(numbers[: part.numel()])
    return stack


def main():
    width, layers, tokens = (int(word) for word in sys.argv[1:4])
    device = torch.device(sys.argv[4])
    x = torch.full((tokens, width), 0.5, dtype=torch.bfloat16, device=device)
    print(json.dumps(measure_all(lambda: make_stack(width, layers), lambda stack: stack(x), device, FORWARDS)))


if __name__ == "__main__":
    main()
