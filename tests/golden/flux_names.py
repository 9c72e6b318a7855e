"""Names of FLUX.1's transformer as its own files and ComfyUI's have them, and as XLabs' LoRAs call its attentions."""

DOUBLE = ((".norm1.linear", ".img_mod.lin"), (".norm1_context.linear", ".txt_mod.lin"), (".attn.norm_q.weight", ".img_attn.norm.query_norm.scale"),
          (".attn.norm_k.weight", ".img_attn.norm.key_norm.scale"), (".attn.norm_added_q.weight", ".txt_attn.norm.query_norm.scale"),
          (".attn.norm_added_k.weight", ".txt_attn.norm.key_norm.scale"), (".attn.to_out.0", ".img_attn.proj"),
          (".attn.to_add_out", ".txt_attn.proj"), (".ff.net.0.proj", ".img_mlp.0"), (".ff.net.2", ".img_mlp.2"),
          (".ff_context.net.0.proj", ".txt_mlp.0"), (".ff_context.net.2", ".txt_mlp.2"))
SINGLE = ((".norm.linear", ".modulation.lin"), (".attn.norm_q.weight", ".norm.query_norm.scale"), (".attn.norm_k.weight", ".norm.key_norm.scale"),
          (".proj_out", ".linear2"))
OUTER = (("x_embedder", "img_in"), ("context_embedder", "txt_in"), ("time_text_embed.timestep_embedder", "time_in"),
         ("time_text_embed.guidance_embedder", "guidance_in"), ("time_text_embed.text_embedder", "vector_in"), ("linear_1", "in_layer"),
         ("linear_2", "out_layer"), ("norm_out.linear", "final_layer.adaLN_modulation.1"), ("proj_out", "final_layer.linear"))
IMAGE = (".attn.to_q", ".attn.to_k", ".attn.to_v")
TEXT = (".attn.add_q_proj", ".attn.add_k_proj", ".attn.add_v_proj")
# What makes one of parts: the first part, the whole, all parts.
FUSED = {
    "single_transformer_blocks.": ((".attn.to_q", ".linear1", (*IMAGE, ".proj_mlp")),),
    "transformer_blocks.": ((".attn.to_q", ".img_attn.qkv", IMAGE),
                            (".attn.add_q_proj", ".txt_attn.qkv", TEXT)),
}
# Blocks in diffusers' words and XLabs', and of each the parts of a layer and what XLabs calls it.
XLABS = (
    ("transformer_blocks.", "double_blocks.",
     ((IMAGE, "qkv_lora1"), (TEXT, "qkv_lora2"), ((".attn.to_out.0",), "proj_lora1"), ((".attn.to_add_out",), "proj_lora2"))),
    ("single_transformer_blocks.", "single_blocks.", ((IMAGE, "qkv_lora"), ((".proj_out",), "proj_lora"))),
)
XLABS_PARTS = tuple(part for _, _, ways in XLABS for parts, _ in ways for part in parts)


def renamed(name, pairs):
    for ours, theirs in pairs:
        if ours in name:
            name = name.replace(ours, theirs)
            if ours.startswith("."):
                break
    return name


def own_names(named, fused, swapped):
    """From diffusers' names, of layers or weights; `fused` makes one of parts, `swapped` a value with its halves by turns."""
    own = {}
    for name, value in named.items():
        block = next((start for start in FUSED if name.startswith(start)), None)
        if block is None:
            own[renamed(name, OUTER)] = swapped(value) if name.startswith("norm_out.") else value
            continue
        theirs = name.replace(block, "single_blocks." if block.startswith("single") else "double_blocks.")
        part = next((each for each in FUSED[block] if any(own_part in name + "." for own_part in (p + "." for p in each[2]))), None)
        if part is None:
            own[renamed(theirs, SINGLE if block.startswith("single") else DOUBLE)] = value
        elif part[0] + "." in name + ".":
            own[theirs.replace(part[0], part[1])] = fused([named[name.replace(part[0], each)] for each in part[2]])
    return own


def xlabs_names(named, fused):
    """From diffusers' names of layers: those that XLabs' trainers train, which are all of attentions."""
    xlabs = {}
    for block, theirs, ways in XLABS:
        for name in named:
            for parts, way in ways:
                if name.startswith(block) and name.endswith(parts[0]):
                    stem = name.removesuffix(parts[0])
                    xlabs[f"{stem.replace(block, theirs)}.processor.{way}"] = fused([named[stem + part] for part in parts])
    return xlabs
