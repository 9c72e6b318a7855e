"""Names and shapes of the weights of real checkpoints, from their settings alone: no library is needed for them."""

# What a UNet's config.json means where it does not state it: Stable Diffusion 1.5, as diffusers has it.
UNET_DEFAULTS = dict(
    block_out_channels=(320, 640, 1280, 1280),
    down_block_types=("CrossAttnDownBlock2D",) * 3 + ("DownBlock2D",),
    up_block_types=("UpBlock2D",) + ("CrossAttnUpBlock2D",) * 3,
    layers_per_block=2,
    transformer_layers_per_block=1,
    cross_attention_dim=1280,
    use_linear_projection=False,
)
LATENT_CHANNELS = 4


class Layout:
    """Collects shapes by name, layer by layer."""

    def __init__(self):
        self.shapes = {}

    def layer(self, name, *shape, bias=True):
        """A weight, and a bias for each of its rows."""
        self.shapes[f"{name}.weight"] = shape
        if bias:
            self.shapes[f"{name}.bias"] = shape[:1]

    def resnet(self, name, inside, outside, time):
        self.layer(f"{name}.norm1", inside)
        self.layer(f"{name}.conv1", outside, inside, 3, 3)
        self.layer(f"{name}.time_emb_proj", outside, time)
        self.layer(f"{name}.norm2", outside)
        self.layer(f"{name}.conv2", outside, outside, 3, 3)
        if inside != outside:
            self.layer(f"{name}.conv_shortcut", outside, inside, 1, 1)

    def attention(self, name, width, context):
        self.layer(f"{name}.to_q", width, width, bias=False)
        self.layer(f"{name}.to_k", width, context, bias=False)
        self.layer(f"{name}.to_v", width, context, bias=False)
        self.layer(f"{name}.to_out.0", width, width)

    def transformer(self, name, width, settings, depth):
        context, kernel = settings["cross_attention_dim"], () if settings["use_linear_projection"] else (1, 1)
        self.layer(f"{name}.norm", width)
        self.layer(f"{name}.proj_in", width, width, *kernel)
        for index in range(depth):
            block = f"{name}.transformer_blocks.{index}"
            for norm in ("norm1", "norm2", "norm3"):
                self.layer(f"{block}.{norm}", width)
            self.attention(f"{block}.attn1", width, width)
            self.attention(f"{block}.attn2", width, context)
            self.layer(f"{block}.ff.net.0.proj", 8 * width, width)
            self.layer(f"{block}.ff.net.2", width, 4 * width)
        self.layer(f"{name}.proj_out", width, width, *kernel)


def per_level(value, count):
    return tuple(value) if isinstance(value, (list, tuple)) else (value,) * count


def unet_shapes(config):
    """{name: shape} of diffusers' UNet2DConditionModel with these settings."""
    settings = {**UNET_DEFAULTS, **config}
    channels = settings["block_out_channels"]
    levels, layers = len(channels), settings["layers_per_block"]
    depths = per_level(settings["transformer_layers_per_block"], levels)
    time = 4 * channels[0]
    layout = Layout()
    layout.layer("conv_in", channels[0], LATENT_CHANNELS, 3, 3)
    layout.layer("time_embedding.linear_1", time, channels[0])
    layout.layer("time_embedding.linear_2", time, time)
    for level, width in enumerate(channels):
        block, before = f"down_blocks.{level}", channels[max(level - 1, 0)]
        for layer in range(layers):
            layout.resnet(f"{block}.resnets.{layer}", width if layer else before, width, time)
            if settings["down_block_types"][level].startswith("CrossAttn"):
                layout.transformer(f"{block}.attentions.{layer}", width, settings, depths[level])
        if level < levels - 1:
            layout.layer(f"{block}.downsamplers.0.conv", width, width, 3, 3)
    for layer in range(2):
        layout.resnet(f"mid_block.resnets.{layer}", channels[-1], channels[-1], time)
    layout.transformer("mid_block.attentions.0", channels[-1], settings, depths[-1])
    for step in range(levels):
        level = levels - 1 - step
        block, width = f"up_blocks.{step}", channels[level]
        before, extra = channels[min(level + 1, levels - 1)], channels[max(level - 1, 0)]
        for layer in range(layers + 1):
            inside = (width if layer else before) + (extra if layer == layers else width)
            layout.resnet(f"{block}.resnets.{layer}", inside, width, time)
            if settings["up_block_types"][step].startswith("CrossAttn"):
                layout.transformer(f"{block}.attentions.{layer}", width, settings, depths[level])
        if level > 0:
            layout.layer(f"{block}.upsamplers.0.conv", width, width, 3, 3)
    layout.layer("conv_norm_out", channels[0])
    layout.layer("conv_out", LATENT_CHANNELS, channels[0], 3, 3)
    return layout.shapes


def text_encoder_shapes(config):
    """{name: shape} of transformers' CLIPTextModel with these settings."""
    width, inner = config["hidden_size"], config["intermediate_size"]
    layout = Layout()
    embeddings = "text_model.embeddings"
    layout.layer(f"{embeddings}.token_embedding", config["vocab_size"], width, bias=False)
    layout.layer(f"{embeddings}.position_embedding", config["max_position_embeddings"], width, bias=False)
    for index in range(config["num_hidden_layers"]):
        name = f"text_model.encoder.layers.{index}"
        for projection in ("q_proj", "k_proj", "v_proj", "out_proj"):
            layout.layer(f"{name}.self_attn.{projection}", width, width)
        layout.layer(f"{name}.mlp.fc1", inner, width)
        layout.layer(f"{name}.mlp.fc2", width, inner)
        for norm in ("layer_norm1", "layer_norm2"):
            layout.layer(f"{name}.{norm}", width)
    layout.layer("text_model.final_layer_norm", width)
    return layout.shapes
