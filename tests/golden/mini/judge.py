#!/usr/bin/env python3
"""The mini model's prompts and judge, for images that the product made.

    judge.py prompts COUNT                   -> JSON: [{"text", "seed", "group", "spec"}], a fixed choice of the evaluation's
    judge.py judge PROMPTS.json FOLDER       -> JSON: fractions and misses of FOLDER/<index>.png
    judge.py sheet PROMPTS.json FOLDER OUT   -> a contact sheet of the images with their prompts

Grammar and judge are those of resources/mini/train, where the model's own evaluation stands.
"""
import json
import pathlib
import sys

import numpy as np
from PIL import Image, ImageDraw

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "resources" / "mini" / "train"))
sys.dont_write_bytecode = True

import dataset as D  # noqa: E402
import evaluate as E  # noqa: E402


def choose(count: int) -> list[dict]:
    """Evenly over the evaluation's groups, in a fixed order; seeds are the evaluation's own."""
    everything = E.prompts()
    order = np.random.default_rng(1).permutation(len(everything))[:count]
    return [dict(text=D.caption(everything[i][1]), seed=int(i), group=everything[i][0], spec=everything[i][1])
            for i in order]


def load(folder: pathlib.Path, count: int) -> np.ndarray:
    images = [np.asarray(Image.open(folder / f"{i}.png").convert("RGB"), np.float32) / 255 for i in range(count)]
    return np.stack(images)


def judge(prompts: list[dict], folder: pathlib.Path) -> dict:
    todo = [(p["group"], p["spec"]) for p in prompts]
    groups = E.judge_all(E.Judge(), load(folder, len(prompts)), todo)
    total = {key: sum(g[key] for g in groups.values()) for key in ("count", "object", "background", "size", "place", "all")}
    return dict(total=total, misses=[m for g in groups.values() for m in g["misses"]], groups=groups)


def sheet(prompts: list[dict], folder: pathlib.Path, out: str) -> None:
    columns = 6
    rows = -(-len(prompts) // columns)
    canvas = Image.new("RGB", (columns * 140, rows * 174), "white")
    draw = ImageDraw.Draw(canvas)
    for i, prompt in enumerate(prompts):
        x, y = i % columns * 140, i // columns * 174
        canvas.paste(Image.open(folder / f"{i}.png").convert("RGB"), (x + 6, y + 4))
        words = prompt["text"].split()
        lines = [""]
        for word in words:
            if len(lines[-1]) + len(word) > 22:
                lines.append("")
            lines[-1] = (lines[-1] + " " + word).strip()
        draw.text((x + 7, y + 134), "\n".join(lines[:3]), fill="black")
    canvas.save(out, optimize=True)


def main() -> None:
    if sys.argv[1] == "prompts":
        json.dump(choose(int(sys.argv[2])), sys.stdout)
        return
    prompts = json.loads(pathlib.Path(sys.argv[2]).read_text())
    folder = pathlib.Path(sys.argv[3])
    if sys.argv[1] == "judge":
        json.dump(judge(prompts, folder), sys.stdout)
    else:
        sheet(prompts, folder, sys.argv[4])


if __name__ == "__main__":
    main()
