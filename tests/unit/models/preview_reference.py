#!/usr/bin/env python3
"""What a preview of every call of a recorded run shows, by numpy alone.

    preview_reference.py GOLDEN.safetensors OUT.safetensors

The clean latents are those that the recorded prediction stands for (Ho et al. 2020, eq. 9; for velocities Salimans and Ho
2022, appendix D; for flows Liu et al. 2022), in f64; their colours are the figures of SD1_5_LATENT_RGB_FACTORS in InvokeAI's
step_callback.py, of videos those of Wan21 in ComfyUI's latent_formats.py. OUT holds "images", int64 [calls, h, w, 3] of the
first latent of the batch, of a video's middle frame.
"""
import json
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

WAN = [
    [-0.1299, -0.1692, 0.2932], [0.0671, 0.0406, 0.0442], [0.3568, 0.2548, 0.1747], [0.0372, 0.2344, 0.1420],
    [0.0313, 0.0189, -0.0328], [0.0296, -0.0956, -0.0665], [-0.3477, -0.4059, -0.2925], [0.0166, 0.1902, 0.1975],
    [-0.0412, 0.0267, -0.1364], [-0.1293, 0.0740, 0.1636], [0.0680, 0.3019, 0.1128], [0.0032, 0.0581, 0.0639],
    [-0.1251, 0.0927, 0.1699], [0.0060, -0.0633, 0.0005], [0.3477, 0.2275, 0.2950], [0.1984, 0.0913, 0.1861],
]
WAN_OF_ZERO = [-0.1835, -0.0868, -0.3360]
RED, GREEN, BLUE = [0.3444, 0.1247, -0.3192, -0.1307], [0.1385, 0.4027, 0.2513, -0.1874], [0.0670, 0.1494, 0.2103, -0.7445]


def noise_per_signal(config, timestep):
    assert config["beta_schedule"] == "scaled_linear"
    betas = np.linspace(config["beta_start"] ** 0.5, config["beta_end"] ** 0.5, config["num_train_timesteps"]) ** 2
    signal = np.cumprod(1 - betas)
    return np.interp(timestep, np.arange(len(signal)), np.sqrt((1 - signal) / signal))


def clean(config, timestep, seen, predicted):
    ratio = noise_per_signal(config, timestep)
    signal = 1 / np.sqrt(1 + ratio**2)
    noise = ratio * signal
    if config["prediction_type"] == "v_prediction":
        return signal * seen - noise * predicted
    return (seen - noise * predicted) / signal


def middle_frames(file):
    sigmas = file.get_tensor("sigmas").astype(np.float64)
    for step in range(len(sigmas) - 1):
        seen = file.get_tensor(f"model_in.{2 * step:03}").astype(np.float64)  # two calls in a step
        latent = (seen - sigmas[step] * file.get_tensor(f"noise_pred.{step:03}").astype(np.float64))[0]
        yield np.tensordot(latent[:, latent.shape[1] // 2], np.array(WAN), ([0], [0])) + np.array(WAN_OF_ZERO)


def images_of(file, config):
    for call in sorted(key[-4:] for key in file.keys() if key.startswith("noise_pred.")):
        predicted = file.get_tensor("noise_pred" + call).astype(np.float64)
        seen = file.get_tensor("model_in" + call).astype(np.float64)[-len(predicted):]
        latent = clean(config, float(file.get_tensor("model_t" + call)), seen, predicted)[0]
        yield np.stack([np.tensordot(figures, latent, 1) for figures in (RED, GREEN, BLUE)], -1)


def main():
    source, out = sys.argv[1:3]
    with safe_open(source, "np") as file:
        config = json.loads(file.metadata()["scheduler_config"])
        colours = middle_frames(file) if config.get("use_flow_sigmas") else images_of(file, config)
        images = [np.round(np.clip(each / 2 + 0.5, 0, 1) * 255).astype(np.int64) for each in colours]
    save_file({"images": np.stack(images)}, out)


main()
