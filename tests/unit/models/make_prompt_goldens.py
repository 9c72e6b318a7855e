#!/usr/bin/env python3
"""What weighted prompts, chunks and several conditionings give, computed from their definitions over diffusers' networks.

    make_prompt_goldens.py REFERENCE CHECKPOINTS CASES FOLDER

CASES is prompt_cases.json. The parts of a prompt and the areas on the latent image stand there as someone works them
out, so that neither a parser nor a rounding of ours is part of the truth. Definitions: AUTOMATIC1111 (chunks of the
encoder's length, commas within 20 tokens, weights that keep the mean), Compel (distance from the empty prompt; parts below
1 are hidden from attention; vectors of an embedding remain in one chunk), ComfyUI (weighted averages of predictions, soft edges of 8 latent pixels).
"""
import json
import math
import pathlib
import sys

COMMA_REACH = 20


class Reference:
    """The text encoder and UNet of one checkpoint."""

    def __init__(self, folder):
        from diffusers import StableDiffusionPipeline

        self.pipe = StableDiffusionPipeline.from_pretrained(folder)
        self.tokenizer, self.encoder = self.pipe.tokenizer, self.pipe.text_encoder
        self.length = self.tokenizer.model_max_length
        self.comma = self.tokenizer.get_vocab().get(",</w>")

        self.sets = {}

    def add_embeddings(self, counts):
        """Vectors of a formula, under a name each; what an earlier case called so goes."""
        import torch

        if self.sets:
            self.pipe.unload_textual_inversion()
        self.sets = {}
        for name, count in counts.items():
            width = self.encoder.config.hidden_size
            places = torch.arange(count * width, dtype=torch.float64)
            vectors = (0.05 * torch.sin(0.7 * places + count)).float().view(count, width)
            self.pipe.load_textual_inversion(vectors, token=name)
            self.sets[self.tokenizer.convert_tokens_to_ids(name)] = count

    def tokens(self, text):
        text = self.pipe.maybe_convert_prompt(text, self.tokenizer)
        return self.tokenizer(text, add_special_tokens=False, truncation=False).input_ids

    def whole(self, content):
        """Ids of a chunk, and which of them are content."""
        ids = [self.tokenizer.bos_token_id] + content + [self.tokenizer.eos_token_id]
        return ids + [self.tokenizer.pad_token_id] * (self.length - len(ids))

    def encode(self, ids, clip_skip=None, mask=None):
        import torch

        mask = None if mask is None else torch.tensor([mask])
        out = self.encoder(torch.tensor([ids]), attention_mask=mask, output_hidden_states=True)
        if not clip_skip:
            return out.last_hidden_state
        inner = getattr(self.encoder, "text_model", self.encoder)
        return inner.final_layer_norm(out.hidden_states[-(clip_skip + 1)])

    def plain(self, text):
        return self.encode(self.whole(self.tokens(text)))


def cut(reference, parts, reach):
    """Chunks of (id, weight, part): full ones end behind a comma among their last `reach` tokens, if there is one."""
    capacity, chunks, chunk = reference.length - 2, [], []
    for number, part in enumerate(parts):
        if part == "BREAK":
            chunks.append(chunk)
            chunk = []
            continue
        for token in reference.tokens(part[0]):
            if len(chunk) + reference.sets.get(token, 1) > capacity:
                commas = [i for i in range(len(chunk)) if chunk[i][0] == reference.comma]
                keep = len(chunk)
                if len(chunk) == capacity and token != reference.comma and commas and capacity - commas[-1] <= reach:
                    keep = commas[-1] + 1
                chunks.append(chunk[:keep])
                # A comma that was carried over is forgotten.
                chunk = chunk[keep:]
            chunk.append((token, part[1], number))
    if chunk or not chunks:
        chunks.append(chunk)
    return chunks


def weights_of(reference, chunk):
    import numpy

    weights = numpy.ones(reference.length)
    weights[1 : 1 + len(chunk)] = [weight for _, weight, _ in chunk]
    return weights[None, :, None]


def a1111(reference, case):
    import numpy

    result = []
    for chunk in cut(reference, case["parts"], COMMA_REACH):
        z = reference.encode(reference.whole([t for t, _, _ in chunk]), case.get("clip_skip")).numpy().astype("float64")
        scaled = z * weights_of(reference, chunk)
        result.append(scaled * (z.mean() / scaled.mean()))
    return numpy.concatenate(result, 1)


def compel(reference, case):
    import numpy

    chunks = cut(reference, case["parts"], 0)
    empty = reference.encode(reference.whole([])).numpy().astype("float64")

    def without(hidden):
        result = []
        for chunk in chunks:
            mask = [1] * reference.length
            for place, (_, _, part) in enumerate(chunk):
                mask[place + 1] = int(part != hidden)
            z = reference.encode(reference.whole([t for t, _, _ in chunk]), mask=mask).numpy().astype("float64")
            result.append(empty + (z - empty) * weights_of(reference, chunk))
        return numpy.concatenate(result, 1)

    shares, embeddings = [1.0], [without(None)]
    for number, (_, weight) in enumerate(case["parts"]):
        if weight < 1:
            shares.append(math.tan((1 - weight) * math.pi / 2))
            embeddings.append(without(number))
    return sum(s * e for s, e in zip(shares, embeddings)) / sum(shares)


def embedding_of(reference, entry):
    import torch

    if "concat" in entry:
        return torch.cat([reference.plain(text) for text in entry["concat"]], 1)
    if "average" in entry:
        first, second, share = entry["average"]
        return reference.plain(first) * share + reference.plain(second) * (1 - share)
    return reference.plain(entry["prompt"])


def mask_of(entry, height, width):
    """The weight of an entry on the whole latent image."""
    import numpy

    y, x, h, w = entry.get("latent", [0, 0, height, width])

    def ramp(start, length, side):
        line, soft = numpy.ones(length), min(8, length // 4)
        rise = numpy.arange(1, soft + 1) / soft if soft else numpy.ones(0)
        if start > 0:
            line[:soft] *= rise
        if start + length < side:
            line[length - soft :] *= rise[::-1]
        return line

    mask = numpy.zeros((height, width))
    mask[y : y + h, x : x + w] = entry.get("strength", 1) * numpy.outer(ramp(y, h, height), ramp(x, w, width))
    return mask


def prediction(reference, latents, t, entries):
    """The average over the entries that speak at timestep t, in float64; 0 where none does."""
    import torch

    height, width = latents.shape[-2:]
    sums, counts = torch.zeros(latents.shape, dtype=torch.float64), torch.zeros((height, width), dtype=torch.float64)
    for entry in entries:
        if not entry.get("to", 0) <= float(t) <= entry.get("from", math.inf):
            continue
        y, x, h, w = entry.get("latent", [0, 0, height, width])
        states = embedding_of(reference, entry).repeat(latents.shape[0], 1, 1)
        out = reference.pipe.unet(latents[..., y : y + h, x : x + w].contiguous(), t, encoder_hidden_states=states).sample
        mask = torch.from_numpy(mask_of(entry, height, width))
        sums[..., y : y + h, x : x + w] += out.double() * mask[y : y + h, x : x + w]
        counts += mask
    return torch.where(counts > 0, sums / counts.clamp(min=1e-300), 0.0).float()


def denoise(reference, case):
    import torch
    from lib import schedulers

    scheduler = schedulers.build("ddim", reference.pipe.scheduler.config)
    scheduler.set_timesteps(case["steps"])
    factor = reference.pipe.vae_scale_factor
    shape = (case.get("batch", 1), reference.pipe.unet.config.in_channels, case["height"] // factor, case["width"] // factor)
    latents = torch.randn(shape, generator=torch.Generator("cpu").manual_seed(case["seed"])) * scheduler.init_noise_sigma
    for t in scheduler.timesteps:
        scaled = scheduler.scale_model_input(latents, t)
        negative = prediction(reference, scaled, t, case["negative"])
        positive = prediction(reference, scaled, t, case["positive"])
        latents = scheduler.step(negative + case["cfg"] * (positive - negative), t, latents).prev_sample
    return latents


def main():
    reference_folder, checkpoints, cases_file, folder = map(pathlib.Path, sys.argv[1:5])
    target = folder / "prompts.safetensors"
    if target.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(reference_folder))
    import golden  # noqa: F401  settings of the environment: one thread, no network
    import torch
    from safetensors.torch import save_file

    torch.set_num_threads(1)
    cases, tensors, known = json.loads(cases_file.read_text()), {}, {}
    with torch.no_grad():
        for case in cases["encode"] + cases["denoise"]:
            name = case["checkpoint"]
            if name not in known:
                known[name] = Reference(checkpoints / name)
            reference = known[name]
            if "parts" in case:
                reference.add_embeddings(case.get("embeddings", {}))
                values = (a1111 if case["weights"] == "a1111" else compel)(reference, case)
                tensors["embeds." + case["name"]] = torch.from_numpy(values).float().contiguous()
            else:
                tensors["latents." + case["name"]] = denoise(reference, case).contiguous()
    partial = target.with_suffix(".partial")
    save_file(tensors, partial)
    partial.rename(target)


main()
