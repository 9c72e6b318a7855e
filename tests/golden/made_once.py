"""For scripts that are called as CHECKPOINTS FOLDER NAME... and make FOLDER/NAME of CHECKPOINTS/NAME where it is missing."""
import pathlib
import shutil
import sys


def make_each(make):
    """`make(checkpoint, folder)` fills a folder, which appears whole or not at all."""
    checkpoints, folder = map(pathlib.Path, sys.argv[1:3])
    for name in sys.argv[3:]:
        if not (folder / name).exists():
            partial = folder / (name + ".partial")
            shutil.rmtree(partial, ignore_errors=True)
            make(checkpoints / name, partial)
            partial.rename(folder / name)
