"""Names of Z-Image's transformer as its own files and ComfyUI's have them."""

OWN = (("all_x_embedder.2-1.", "x_embedder."), ("all_final_layer.2-1.", "final_layer."), (".attention.to_out.0", ".attention.out"),
       (".attention.norm_q.", ".attention.q_norm."), (".attention.norm_k.", ".attention.k_norm."))


def own_names(named, fused):
    """From diffusers' names, of layers or weights; `fused` makes one of query's, key's and value's."""
    own = {}
    for name, value in named.items():
        if ".attention.to_q" in name:
            own[name.replace(".to_q", ".qkv")] = fused([named[name.replace(".to_q", ".to_" + part)] for part in "qkv"])
        elif ".attention.to_k" not in name and ".attention.to_v" not in name:
            for ours, theirs in OWN:
                name = name.replace(ours, theirs)
            own[name] = value
    return own
