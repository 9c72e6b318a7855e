#!/usr/bin/env python3
"""The hidden states of one prompt by Llama 3.1 8B of transformers on the CPU, for its bench; a line at each begin and end.

    llama_peer.py MODE LAYERS TOKENS PROMPTS [SCRATCH_FOLDER]

Random weights in f32 in LAYERS of its 32 layers: all in RAM, or with MODE `disk` brought from files in SCRATCH_FOLDER by accelerate, layer by
layer. PROMPTS run in one batch, as pipelines with guidance run them.
"""

import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import torch  # noqa: E402
from transformers import LlamaConfig, LlamaModel  # noqa: E402

from hidream_checkpoint import LLAMA  # noqa: E402


def report(what):
    print(what, flush=True)


def loaded(mode, layers, scratch):
    config = LlamaConfig(**{**LLAMA, "num_hidden_layers": layers})
    if mode != "disk":
        model = LlamaModel(config).eval()
    else:
        from accelerate import disk_offload

        with torch.device("meta"):
            model = LlamaModel(config).eval()
        write_offloaded(model, scratch)
        model.rotary_emb = type(model.rotary_emb)(config)
        model = disk_offload(model, scratch, execution_device=torch.device("cpu"))
    return model


def write_offloaded(model, scratch):
    """Weights one by one, as accelerate's offload folders hold them."""
    from accelerate.utils import offload_weight, save_offload_index

    index = {}
    for name, value in model.named_parameters():
        index = offload_weight(torch.randn(value.shape) * value.shape[-1] ** -0.5, name, scratch, index)
    save_offload_index(index, scratch)


def main():
    mode, layers, tokens, prompts = sys.argv[1], *map(int, sys.argv[2:5])
    with torch.inference_mode():
        report("load begin")
        model = loaded(mode, layers, sys.argv[5] if mode == "disk" else None)
        report("load end")
        torch.manual_seed(1)
        ids = torch.randint(model.config.vocab_size, (prompts, tokens))
        report("encode begin")
        states = model(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True).hidden_states
        report("encode end")
        if not all(torch.isfinite(state).all() for state in states):
            sys.exit("the states are no numbers")


if __name__ == "__main__":
    main()
