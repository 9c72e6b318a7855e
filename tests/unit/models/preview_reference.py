#!/usr/bin/env python3
"""What a preview of every call of a recorded run shows, by numpy alone.

    preview_reference.py GOLDEN.safetensors OUT.safetensors

The clean latents are those that the recorded prediction stands for (Ho et al. 2020, eq. 9; for velocities Salimans and Ho
2022, appendix D), in f64; their colours are the figures of SD1_5_LATENT_RGB_FACTORS in InvokeAI's step_callback.py.
OUT holds "pictures", int64 [calls, h, w, 3] of the first latent of the batch.
"""
import json
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

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


def main():
    source, out = sys.argv[1:3]
    pictures = []
    with safe_open(source, "np") as file:
        config = json.loads(file.metadata()["scheduler_config"])
        calls = sorted(key[-4:] for key in file.keys() if key.startswith("noise_pred."))
        for call in calls:
            predicted = file.get_tensor("noise_pred" + call).astype(np.float64)
            seen = file.get_tensor("model_in" + call).astype(np.float64)[-len(predicted):]
            latent = clean(config, float(file.get_tensor("model_t" + call)), seen, predicted)[0]
            colours = np.stack([np.tensordot(figures, latent, 1) for figures in (RED, GREEN, BLUE)], -1)
            pictures.append(np.round(np.clip(colours / 2 + 0.5, 0, 1) * 255).astype(np.uint8))
    save_file({"pictures": np.stack(pictures).astype(np.int64)}, out)


main()
