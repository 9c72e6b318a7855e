"""Runs step caches on a tiny Wan transformer, for the tests of plugin/sampling/step_caches.

Block caches and the Taylor forecast are written here in their plain form, one object per pass and branch, and must give
every bit that the hooks of diffusers 0.42.1 give; else the script fails. The file holds per case and step what went in,
what came out and whether the step was reused. EasyCache, the windows and the fit of Spectrum are not in diffusers: they
are written here from their definitions, the fit by least squares in float64.
"""

import json
import math
import sys
import warnings

import numpy
import torch

warnings.filterwarnings("ignore")

import diffusers  # noqa: E402
from diffusers import (  # noqa: E402
    FirstBlockCacheConfig,
    MagCacheConfig,
    TaylorSeerCacheConfig,
    WanTransformer3DModel,
)
from diffusers.hooks.mag_cache import MagCacheBlockHook, MagCacheState, nearest_interp  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

diffusers.utils.logging.set_verbosity_error()
torch.set_num_threads(1)
torch.set_grad_enabled(False)

STEPS = 14
BRANCHES = ("cond", "uncond")
TENSORS, CASES = {}, []


def tiny_wan():
    torch.manual_seed(11)
    model = WanTransformer3DModel(
        patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=12, in_channels=4, out_channels=4, text_dim=16,
        freq_dim=16, ffn_dim=32, num_layers=4, rope_max_seq_len=32)
    return model.eval()


def timesteps(count):
    return torch.linspace(999, 30, count)


def contexts():
    generator = torch.Generator().manual_seed(5)
    return {name: torch.randn((1, 7, 16), generator=generator) for name in BRANCHES}


def noise():
    return torch.randn((1, 4, 1, 8, 6), generator=torch.Generator().manual_seed(9))


class FirstBlock:
    """First Block Cache, with what diffusers lacks: a warm-up and a bound of steps in a row."""

    def __init__(self, threshold, warm_up=0, most=None):
        self.threshold, self.warm_up, self.most = threshold, warm_up, most
        self.before = self.tail = None
        self.in_a_row = 0

    def run(self, blocks, h, step, count):
        x = blocks[0](h)
        r = x - h
        hit = self.before is not None and step >= self.warm_up and (self.most is None or self.in_a_row < self.most)
        if hit:
            hit = ((r - self.before).abs().mean() / self.before.abs().mean()).item() <= self.threshold
        if hit:
            self.in_a_row += 1
            return x, x + self.tail, True
        y = x
        for block in blocks[1:]:
            y = block(y)
        self.tail, self.before, self.in_a_row = y - x, r, 0
        return x, y, False


class Mag:
    def __init__(self, ratios, threshold, most, kept):
        self.ratios, self.threshold, self.most, self.kept = ratios, threshold, most, kept
        self.added = None
        self.ratio, self.error, self.skips = 1.0, 0.0, 0

    def run(self, blocks, h, step, count):
        hit = False
        if step >= int(self.kept * count + 0.5):
            self.ratio *= float(self.ratios[step]) if step < len(self.ratios) else 1.0
            self.skips += 1
            self.error += abs(1 - self.ratio)
            hit = self.added is not None and self.error <= self.threshold and self.skips <= self.most
            if not hit:
                self.ratio, self.error, self.skips = 1.0, 0.0, 0
        if hit:
            return h, h + self.added, True
        y = h
        for block in blocks:
            y = block(y)
        self.added = y - h
        return h, y, False


class Taylor:
    """Forecasts what leaves the network. Time is the index of the step."""

    def __init__(self, interval, warm_up):
        self.interval, self.warm_up = interval, warm_up
        self.factors, self.last = [], None

    def is_full(self, step):
        return step < self.warm_up or (step - self.warm_up - 1) % self.interval == 0

    def update(self, y, step):
        factors = [y]
        if self.factors:
            factors.append((y - self.factors[0]) / (step - self.last))
        self.factors, self.last = factors, step
        return y

    def predict(self, step):
        ahead = step - self.last
        y = torch.zeros_like(self.factors[0])
        for order, factor in enumerate(self.factors):
            y = y + factor * (ahead**order / math.factorial(order))
        return y


def forward(model, x, t, context, cache, step, count, rows):
    """The transformer's own forward with the cache around its blocks, or around everything."""
    batch, _, frames, height, width = x.shape
    patch = model.config.patch_size
    rotation = model.rope(x)
    h = model.patch_embedding(x).flatten(2).transpose(1, 2).contiguous()
    embedded, projected, prompt, _ = model.condition_embedder(t, context, None, timestep_seq_len=None)
    projected = projected.unflatten(1, (6, -1))
    blocks = [lambda q, block=block: block(q, prompt, projected, rotation) for block in model.blocks]
    if isinstance(cache, Taylor) and not cache.is_full(step):
        out = cache.predict(step)
        rows.append(dict(out=out, reused=True))
    else:
        if isinstance(cache, Taylor):
            y = h
            for block in blocks:
                y = block(y)
        else:
            probe, y, reused = cache.run(blocks, h, step, count)
            rows.append({"in": h, "probe": probe, "out": y, "reused": reused})
        shift, scale = (model.scale_shift_table + embedded.unsqueeze(1)).chunk(2, dim=1)
        out = model.proj_out((model.norm_out(y.float()) * (1 + scale) + shift).type_as(y))
        if isinstance(cache, Taylor):
            cache.update(out, step)
            rows.append(dict(out=out, reused=False))
    out = out.reshape(batch, frames // patch[0], height // patch[1], width // patch[2], *patch, -1)
    return out.permute(0, 7, 1, 4, 2, 5, 3, 6).flatten(6, 7).flatten(4, 5).flatten(2, 3)


def guided_pass(predict, count):
    """A pass with guidance over two calls; returns every result of the network."""
    x, results = noise(), []
    for step, t in enumerate(timesteps(count)):
        parts = {name: predict(name, x, t.reshape(1), step) for name in BRANCHES}
        results += [parts[name] for name in BRANCHES]
        x = x - (parts["uncond"] + 3.0 * (parts["cond"] - parts["uncond"])) / count
    return results


def with_hooks(model, config, count):
    prompts = contexts()
    model.enable_cache(config)

    def predict(name, x, t, _):
        with model.cache_context(name):
            return model(x, t, prompts[name], return_dict=False)[0]

    results = guided_pass(predict, count)
    model.disable_cache()
    return results


def with_ours(model, make, count):
    prompts, caches, rows = contexts(), {name: make() for name in BRANCHES}, {name: [] for name in BRANCHES}

    def predict(name, x, t, step):
        return forward(model, x, t, prompts[name], caches[name], step, count, rows[name])

    return guided_pass(predict, count), rows


def put_case(name, rows, **facts):
    for branch, steps in rows.items():
        for key in steps[0]:
            values = [torch.tensor(row[key]) if key == "reused" else row[key] for row in steps]
            TENSORS[f"{name}/{branch}/{key}"] = torch.stack(values).contiguous()
        reused = sum(row["reused"] for row in steps)
        CASES.append(dict(name=f"{name}/{branch}", steps=len(steps), reusedSteps=reused, **facts))


def compared(name, model, make, config, count=STEPS, **facts):
    results, rows = with_ours(model, make, count)
    if config is not None:
        for step, (mine, theirs) in enumerate(zip(results, with_hooks(model, config, count))):
            if not torch.equal(mine, theirs):
                raise SystemExit(f"{name}: call {step} differs from diffusers")
    put_case(name, rows, **facts)


def first_block_cases(model):
    for threshold in (0.0, 0.04, 0.06, 0.08, 0.1, 0.2):
        compared(f"first_block.{threshold}", model, lambda: FirstBlock(threshold), FirstBlockCacheConfig(threshold),
                 kind="first_block", threshold=threshold)
    for warm_up, most in ((4, None), (0, 2), (5, 1)):
        compared(f"first_block.limits.{warm_up}.{most}", model, lambda: FirstBlock(0.1, warm_up, most), None,
                 kind="first_block", threshold=0.1, warmUp=warm_up, most=most)


def mag_cases(model):
    generator = torch.Generator().manual_seed(3)
    for length, count in ((STEPS, STEPS), (28, STEPS), (9, 20), (1, 8)):
        ratios = 1 + 0.03 * torch.randn(length, generator=generator)
        for threshold, most, kept in ((0.06, 3, 0.2), (0.12, 4, 0.2), (0.3, 10, 0.0), (0.02, 1, 0.5), (0.06, 3, 1.0)):
            name = f"mag.{length}.{count}.{threshold}.{most}.{kept}"
            config = MagCacheConfig(threshold=threshold, max_skip_steps=most, retention_ratio=kept,
                                    num_inference_steps=count, mag_ratios=ratios)
            TENSORS[name + "/curve"] = ratios.double()
            stretched = ratios if length == count else nearest_interp(ratios, count)
            compared(name, model, lambda: Mag(stretched, threshold, most, kept), config, count, kind="mag",
                     threshold=threshold, most=most, kept=kept, curve=name + "/curve")


def taylor_cases(model):
    for interval, warm_up in ((5, 3), (2, 2), (3, 1), (4, 6)):
        config = TaylorSeerCacheConfig(cache_interval=interval, disable_cache_before_step=warm_up, max_order=1,
                                       taylor_factors_dtype=torch.float32, use_lite_mode=True)
        compared(f"taylor.{interval}.{warm_up}", model, lambda: Taylor(interval, warm_up), config, kind="taylor")


def easy_pass(model, threshold, begin, end, count):
    """EasyCache as ComfyUI builds it, but every computed step is observed and shares count steps."""
    context, x = contexts()["cond"], noise()
    before = rate = None
    accumulated, rows = 0.0, []
    for step, t in enumerate(timesteps(count)):
        expected = math.nan
        if rate is not None:
            moved = (x - before[0]).abs().mean()
            expected = (rate * moved / before[1].abs().mean()).item()
        active = int(begin * count + 0.5) <= step < int(end * count + 0.5)
        reused = active and math.isfinite(expected) and accumulated + expected < threshold
        if reused:
            accumulated += expected
            y = x + (before[1] - before[0])
        else:
            accumulated = 0.0
            y = model(x, t.reshape(1), context, return_dict=False)[0]
            if before is not None:
                rate = (y - before[1]).abs().mean() / (x - before[0]).abs().mean()
            before = (x, y)
        rows.append({"in": x, "out": y, "expected": torch.tensor(expected, dtype=torch.float64), "reused": reused})
        x = x - y / count
    return rows


def easy_cases(model):
    for threshold, begin, end, count in (
        (0.2, 0.15, 0.95, 20), (0.4, 0.0, 1.0, 20), (1.0, 0.3, 0.6, 30), (0.0, 0.0, 1.0, 9)):
        name = f"easy.{threshold}.{begin}.{count}"
        put_case(name, dict(cond=easy_pass(model, threshold, begin, end, count)), kind="easy", threshold=threshold,
                 begin=begin, end=end)


def window_cases():
    """One row of marks per setting: the windows of stable-diffusion.cpp, without its 50 steps."""
    settings = [(2, 0.5, 4, 0.9), (2, 0.5, 0, 1.0), (1, 0.0, 0, 1.0), (3, 0.25, 6, 0.8), (2.75, 1.5, 2, 0.95)]
    for window, growth, warm_up, stop in settings:
        for count in (4, 20, 30, 50):
            width, cached, marks = window, 0, []
            for step in range(count):
                predicted = warm_up <= step < int(stop * count + 0.5) and (cached + 1) % max(1, math.floor(width)) != 0
                if predicted:
                    cached += 1
                else:
                    width, cached = width + (growth if step >= warm_up else 0), 0
                marks.append(predicted)
            name = f"window.{window}.{growth}.{warm_up}.{count}"
            TENSORS[name + "/reused"] = torch.tensor(marks)
            CASES.append(dict(name=name, kind="window", window=window, growth=growth, warmUp=warm_up, stop=stop,
                              steps=count))


def spectrum_cases():
    """Least squares over [polynomials; sqrt(ridge)], for differences from the newest value."""
    generator = numpy.random.default_rng(17)
    for count in range(2, 7):
        for degree, ridge, weight in ((3, 1.0, 0.4), (3, 0.01, 1.0), (5, 0.1, 0.7), (1, 1.0, 0.0)):
            times = numpy.sort(generator.uniform(-2, 2.5, count))
            values = generator.normal(size=(count, 40))
            time, begin, end = times[-1] + 0.3, -2.4, 3.2
            order = min(degree, count - 1)

            def rows(t):
                return numpy.polynomial.chebyshev.chebvander(2 * (numpy.atleast_1d(t) - begin) / (end - begin) - 1,
                                                             order)[:, 1:]

            design = numpy.vstack([rows(times[:-1]) - rows(times[-1]), math.sqrt(ridge) * numpy.eye(order)])
            wanted = numpy.vstack([values[:-1] - values[-1], numpy.zeros((order, 40))])
            fitted = numpy.linalg.lstsq(design, wanted, rcond=None)[0]
            curve = values[-1] + (rows(time) - rows(times[-1]))[0] @ fitted
            line = values[-1] + (time - times[-1]) * (values[-1] - values[-2]) / (times[-1] - times[-2])
            name = f"spectrum.{count}.{degree}.{ridge}"
            TENSORS[name + "/times"] = torch.from_numpy(times)
            TENSORS[name + "/values"] = torch.from_numpy(values)
            TENSORS[name + "/predicted"] = torch.from_numpy(weight * curve + (1 - weight) * line)
            CASES.append(dict(name=name, kind="spectrum", degree=degree, ridge=ridge, weight=weight, time=time,
                              begin=begin, end=end))


def nearest_places():
    """For curves of 1 to 40 steps, the place that each step of 1 to 60 takes; padded with -1."""
    places = torch.full((40, 60, 60), -1)
    for length in range(1, 41):
        for count in range(1, 61):
            places[length - 1, count - 1, :count] = nearest_interp(torch.arange(length), count)
    TENSORS["nearest"] = places


def length_ratios():
    hook = MagCacheBlockHook(None, True, MagCacheConfig(calibrate=True))
    generator = torch.Generator().manual_seed(23)
    state, values = MagCacheState(), torch.randn((6, 2, 30, 24), generator=generator)
    for value in values:
        hook._perform_calibration_step(state, value)
        state.previous_residual = value
    TENSORS["lengths/values"] = values
    TENSORS["lengths/ratios"] = torch.tensor(state.calibration_ratios, dtype=torch.float64)


def main():
    model = tiny_wan()
    first_block_cases(model)
    mag_cases(model)
    taylor_cases(model)
    easy_cases(model)
    window_cases()
    spectrum_cases()
    nearest_places()
    length_ratios()
    save_file({key: value.clone() for key, value in TENSORS.items()}, sys.argv[1], metadata=dict(cases=json.dumps(CASES)))


main()
