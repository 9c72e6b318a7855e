"""Names of weights in WAN's own files, from those of diffusers and transformers."""

TRANSFORMER = (
    ("condition_embedder.time_embedder.linear_1", "time_embedding.0"), ("condition_embedder.time_embedder.linear_2", "time_embedding.2"),
    ("condition_embedder.text_embedder.linear_1", "text_embedding.0"), ("condition_embedder.text_embedder.linear_2", "text_embedding.2"),
    ("condition_embedder.time_proj", "time_projection.1"), ("condition_embedder.image_embedder.norm1", "img_emb.proj.0"),
    ("condition_embedder.image_embedder.ff.net.0.proj", "img_emb.proj.1"), ("condition_embedder.image_embedder.ff.net.2", "img_emb.proj.3"),
    ("condition_embedder.image_embedder.norm2", "img_emb.proj.4"), ("proj_out", "head.head"), ("attn1", "self_attn"),
    ("attn2", "cross_attn"), (".to_q.", ".q."), (".to_k.", ".k."), (".to_v.", ".v."), (".to_out.0.", ".o."), (".add_k_proj.", ".k_img."),
    (".add_v_proj.", ".v_img."), (".norm_added_k.", ".norm_k_img."), (".norm2.", ".norm3."), ("ffn.net.0.proj", "ffn.0"),
    ("ffn.net.2", "ffn.2"))
RESNET = (("norm1.", "residual.0."), ("conv1.", "residual.2."), ("norm2.", "residual.3."), ("conv2.", "residual.6."),
          ("conv_shortcut.", "shortcut."))
AUTOENCODER = (
    ("post_quant_conv", "conv2"), ("quant_conv", "conv1"), ("conv_in", "conv1"), ("mid_block.resnets.0", "middle.0"),
    ("mid_block.attentions.0", "middle.1"), ("mid_block.resnets.1", "middle.2"), ("norm_out", "head.0"), ("conv_out", "head.2"),
    ("down_blocks", "downsamples"))
TEXT = (
    ("shared", "token_embedding"), ("encoder.final_layer_norm", "norm"), ("encoder.block", "blocks"),
    ("layer.0.SelfAttention.relative_attention_bias", "pos_embedding.embedding"), ("layer.0.SelfAttention", "attn"),
    ("layer.0.layer_norm", "norm1"), ("layer.1.layer_norm", "norm2"), ("layer.1.DenseReluDense.wi_0", "ffn.gate.0"),
    ("layer.1.DenseReluDense.wi_1", "ffn.fc1"), ("layer.1.DenseReluDense.wo", "ffn.fc2"))


def renamed(name, table):
    for ours, theirs in table:
        name = name.replace(ours, theirs)
    return name


def transformer_name(key):
    if key.endswith("scale_shift_table"):
        return key.replace("scale_shift_table", "modulation") if key.startswith("blocks.") else "head.modulation"
    return renamed(key, TRANSFORMER)


def autoencoder_name(key, layers):
    """Of an autoencoder with so many resnets for each level on the way down."""
    parts = key.split(".")
    if parts[1] == "up_blocks":
        unit = int(parts[2]) * (layers + 2) + (int(parts[4]) if parts[3] == "resnets" else layers + 1)
        key = ".".join(["decoder", "upsamples", str(unit), *parts[5:]])
    is_resnet = "downsamples" in key or "down_blocks" in key or "upsamples" in key or "mid_block.resnets" in key
    return renamed(renamed(key, RESNET if is_resnet else ()), AUTOENCODER)


def text_name(key):
    return renamed(key, TEXT)
