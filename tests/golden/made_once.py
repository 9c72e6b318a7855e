"""Files and folders that scripts make once."""
import pathlib
import shutil
import sys


def make_once(target, make):
    """make(partial) fills a folder, which appears complete or not at all; nothing where the target is there."""
    if not target.exists():
        partial = target.with_name(target.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        make(partial)
        partial.rename(target)


def make_each(make):
    """For scripts that are called as CHECKPOINTS FOLDER NAME...: make(checkpoint, folder) fills FOLDER/NAME of CHECKPOINTS/NAME."""
    checkpoints, folder = map(pathlib.Path, sys.argv[1:3])
    for name in sys.argv[3:]:
        make_once(folder / name, lambda partial, name=name: make(checkpoints / name, partial))
