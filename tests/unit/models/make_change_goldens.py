"""Weights with the deltas of adapters: make_change_goldens.py OUT.safetensors

Random weights and factors of every kind, merged by the tools that train them: LyCORIS and peft. Each merged weight is checked against
the forward of its own module here, because LyCORIS merges LoHa and LoKr with the square of their scale (get_diff_weight), while its
forward and with it all training scale once. The cases are the metadata "cases", a JSON list; NAME.weight, NAME.merged and
NAME.factor.FACTOR are their tensors. DoRA at another strength than 1 is a point on the line between checkpoint and merged weight.
"""
import json
import logging
import sys

import peft
import torch
from lycoris.modules.full import FullModule
from lycoris.modules.ia3 import IA3Module
from lycoris.modules.locon import LoConModule
from lycoris.modules.loha import LohaModule
from lycoris.modules.lokr import LokrModule
from lycoris.modules.norms import NormModule
from safetensors.torch import save_file
from torch import nn

logging.disable(logging.WARNING)
torch.set_num_threads(1)
torch.manual_seed(7)
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
RENAMED = {"lora_up": "up", "lora_down": "down", "lora_mid": "mid"}
NOISE = 1e-4  # of f32, between two ways through the same product
tensors, cases = {}, []


def linear(out, inputs):
    return nn.Linear(inputs, out)


def conv(out, inputs, side):
    return nn.Conv2d(inputs, out, side, padding=side // 2)


def write(name, kind, weight, merged, factors, strength, alpha=None):
    tensors[f"{name}.weight"] = weight.detach().clone().contiguous()
    tensors[f"{name}.merged"] = merged.detach().clone().contiguous()
    for factor, values in factors.items():
        tensors[f"{name}.factor.{factor}"] = values.detach().contiguous()
    cases.append({"name": name, "kind": kind, "strength": strength, "alpha": alpha, "factors": list(factors)})


def filled(module, names, stored):
    """Random values of the stored type for the module's parameters; what the file would hold, by our names."""
    factors = {}
    for key, parameter in module.named_parameters():
        if key not in names:
            continue
        values = torch.randn_like(parameter) * 0.3
        if key == "dora_scale":
            values = parameter.detach() * (1 + values)
        stored_values = values.to(TYPES[stored])
        parameter.data.copy_(stored_values)
        factors[names[key]] = stored_values
    return factors


def checked(module, merged, what):
    """The merged weight, which must do what the module's forward does."""
    layer = module.org_module[0]
    shape = (2, layer.in_features) if isinstance(layer, nn.Linear) else (2, layer.in_channels, 5, 5)
    x = torch.randn(shape)
    other = module.op(x, merged, layer.bias, **module.kw_dict)
    assert torch.allclose(module(x), other, rtol=NOISE, atol=NOISE * other.abs().max()), what
    return merged


def lycoris(name, cls, kind, layer, names, strength=1.0, stored="f32", alpha=None, **options):
    module = cls("case", layer, multiplier=1.0, alpha=alpha, **options)
    factors = filled(module, names, stored)
    weight = layer.weight.detach()
    with torch.no_grad():
        if cls is LoConModule:
            delta = module.make_weight() * module.scale
        elif cls is IA3Module:
            delta = module.get_diff_weight()[0]
        else:
            delta = module.get_weight(module.shape)
        whole = weight + delta
        if getattr(module, "wd", False):
            whole = module.apply_weight_decompose(whole, 1)
        checked(module, whole, name)
        merged = weight + strength * (whole - weight)
    write(name, kind, weight, merged, factors, strength, alpha)


LOCON = {f"{key}.weight": name for key, name in RENAMED.items()} | {"dora_scale": "dora_scale"}
LOHA = {f"hada_{key}": key for key in ("w1_a", "w1_b", "w2_a", "w2_b", "t1", "t2")} | {"dora_scale": "dora_scale"}
LOKR = {f"lokr_{key}": key for key in ("w1", "w1_a", "w1_b", "w2", "w2_a", "w2_b", "t2")} | {"dora_scale": "dora_scale"}


def locon(name, layer, rank, **options):
    lycoris(name, LoConModule, "low_rank", layer, LOCON, lora_dim=rank, **options)


def loha(name, layer, rank, **options):
    lycoris(name, LohaModule, "hadamard", layer, LOHA, lora_dim=rank, **options)


def lokr(name, layer, rank, **options):
    lycoris(name, LokrModule, "kronecker", layer, LOKR, lora_dim=rank, **options)


OUT, IN = {"weight_decompose": True, "wd_on_out": True}, {"weight_decompose": True, "wd_on_out": False}
for make, rank in ((locon, 4), (loha, 4), (lokr, 2)):  # of more, LoKr makes these w2 whole
    kind = make.__name__
    for stored in TYPES:
        make(f"{kind}_linear_{stored}", linear(48, 40), rank, alpha=2.0, stored=stored)
    make(f"{kind}_no_alpha", linear(48, 40), rank)
    make(f"{kind}_half", linear(48, 40), rank, alpha=1.0, strength=0.5)
    make(f"{kind}_negative", linear(40, 48), rank, alpha=6.0, strength=-0.7, stored="f16")
    make(f"{kind}_rank_1", linear(40, 48), 1, alpha=0.5)
    make(f"{kind}_pixels", conv(48, 40, 1), rank, alpha=2.0)
    make(f"{kind}_conv", conv(24, 20, 3), rank, alpha=2.0, stored="f16")
    make(f"{kind}_tucker", conv(24, 20, 3), rank, alpha=2.0, use_tucker=True, strength=0.5)
    make(f"{kind}_tucker_negative", conv(20, 24, 3), rank, use_tucker=True, strength=-0.7, stored="bf16")
    make(f"{kind}_large", linear(1030, 512), 8, alpha=4.0)
    for axis, options in (("out", OUT), ("in", IN)):
        make(f"{kind}_dora_{axis}", linear(48, 40), rank, alpha=2.0, **options)
        make(f"{kind}_dora_{axis}_half", linear(48, 48), rank, alpha=2.0, strength=0.5, stored="f16", **options)
        make(f"{kind}_dora_{axis}_negative", linear(40, 48), rank, strength=-0.7, **options)
        make(f"{kind}_dora_{axis}_conv", conv(24, 20, 3), rank, alpha=2.0, **options)
        make(f"{kind}_dora_{axis}_tucker", conv(20, 24, 3), rank, use_tucker=True, alpha=2.0, **options)
        make(f"{kind}_dora_{axis}_large", linear(1030, 512), 8, alpha=4.0, **options)
lokr("lokr_both", linear(144, 144), 2, alpha=1.0, decompose_both=True)
lokr("lokr_both_conv", conv(144, 144, 3), 2, alpha=3.0, decompose_both=True, use_tucker=True)
lokr("lokr_whole", linear(48, 40), 4, alpha=1.0, full_matrix=True)
lokr("lokr_whole_conv", conv(24, 20, 3), 4, alpha=1.0, full_matrix=True, stored="f16")
lokr("lokr_factor", linear(48, 40), 2, alpha=1.0, factor=4)
lokr("lokr_unbalanced", linear(48, 40), 2, alpha=1.0, factor=4, unbalanced_factorization=True)

LARGE = {1.0: (), 0.5: (("large", linear(1030, 512)),), -0.7: ()}
for strength in LARGE:
    for on_input in (True, False):
        axis = "on_input" if on_input else "on_output"
        for name, layer in (("linear", linear(48, 40)), ("pixels", conv(40, 40, 1)), ("conv", conv(24, 20, 3))):
            lycoris(f"ia3_{axis}_{name}_{strength}", IA3Module, "scale", layer, {"weight": axis}, strength=strength, stored="f16",
                    train_on_input=on_input)
    for name, layer in (("linear", linear(48, 40)), ("conv", conv(24, 20, 3))) + LARGE[strength]:
        full = FullModule("case", layer)
        factors = filled(full, {"weight": "difference", "bias": "difference_b"}, "bf16" if name == "conv" else "f32")
        merged, bias = full.get_merged_weight(strength)
        write(f"full_{name}_{strength}", "difference", layer.weight, merged, {"difference": factors["difference"]}, strength)
        write(f"full_{name}_bias_{strength}", "difference", layer.bias, bias, {"difference": factors["difference_b"]}, strength)
    for name, layer in (("layer", nn.LayerNorm(40)), ("group", nn.GroupNorm(4, 40))):
        norm = NormModule("case", layer)
        factors = filled(norm, {"w_norm": "w", "b_norm": "b"}, "f16")
        merged, bias = norm.get_merged_weight(strength)
        write(f"norm_{name}_{strength}", "difference", layer.weight, merged, {"difference": factors["w"]}, strength)
        write(f"norm_{name}_bias_{strength}", "difference", layer.bias, bias, {"difference": factors["b"]}, strength)


class Net(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)


def by_peft(name, kind, layer, names, config, alpha):
    weight = layer.weight.detach().clone()
    model = peft.get_peft_model(Net(layer), config)
    factors = {}
    for key, parameter in model.base_model.model.layer.named_parameters():
        short = key.replace(".default", "").removesuffix(".weight")
        if short in names:
            values = torch.randn_like(parameter) * 0.3
            parameter.data.copy_(parameter.detach() * (1 + values) if "magnitude" in short else values)
            factors[names[short]] = parameter.detach().clone()
    write(name, kind, weight, model.merge_and_unload().layer.weight, factors, 1.0, alpha)


LORA_PEFT = {"lora_A": "down", "lora_B": "up", "lora_magnitude_vector": "magnitude"}
LOHA_PEFT = {f"hada_{key}": key for key in ("w1_a", "w1_b", "w2_a", "w2_b", "t1", "t2")}
LOKR_PEFT = {f"lokr_{key}": key for key in ("w1", "w1_a", "w1_b", "w2", "w2_a", "w2_b", "t2")}
for dora in (False, True):
    for name, layer in (("linear", linear(48, 40)), ("conv", conv(24, 24, 3))):
        by_peft(f"peft_lora_{name}{'_dora' if dora else ''}", "low_rank", layer, LORA_PEFT,
                peft.LoraConfig(r=4, lora_alpha=6, target_modules=["layer"], use_dora=dora), 6.0)
for name, layer, effective in (("linear", linear(48, 40), False), ("conv", conv(24, 20, 3), False), ("tucker", conv(24, 20, 3), True)):
    by_peft(f"peft_loha_{name}", "hadamard", layer, LOHA_PEFT,
            peft.LoHaConfig(r=4, alpha=6, target_modules=["layer"], use_effective_conv2d=effective), 6.0)
    by_peft(f"peft_lokr_{name}", "kronecker", layer, LOKR_PEFT,
            peft.LoKrConfig(r=2, alpha=6, target_modules=["layer"], use_effective_conv2d=effective), 6.0)
save_file(tensors, sys.argv[1], metadata={"cases": json.dumps(cases)})
