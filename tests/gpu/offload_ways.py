"""How users offload a PyTorch network today, and what a forward of it takes then; for the peers of the benches.

Ways: resident; diffusers' group offload by block and by leaf, with a stream, with and without record_stream;
accelerate's cpu_offload. All but the first bring every weight to the GPU in every forward.
"""

import time

import torch

RESIDENT = "resident"


def resident(network, device):
    network.to(device)


def group(kind, record):
    def apply(network, device):
        from diffusers.hooks import apply_group_offloading

        apply_group_offloading(
            network,
            onload_device=device,
            offload_device=torch.device("cpu"),
            offload_type=kind,
            num_blocks_per_group=1 if kind == "block_level" else None,
            use_stream=True,
            record_stream=record,
        )

    return apply


def accelerated(network, device):
    from accelerate import cpu_offload

    cpu_offload(network, execution_device=device)


WAYS = {
    RESIDENT: resident,
    "diffusers, block, stream": group("block_level", False),
    "diffusers, block, stream, record": group("block_level", True),
    "diffusers, leaf, stream": group("leaf_level", False),
    "diffusers, leaf, stream, record": group("leaf_level", True),
    "accelerate": accelerated,
}


def refusal(way, error):
    return {"way": way, "refused": f"{type(error).__name__}: {error}"[:200]}


def finish(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def bytes_of(network):
    return sum(each.numel() * each.element_size() for each in (*network.parameters(), *network.buffers()))


def measure(way, network, work, device, forwards):
    """A row: seconds of a forward, peak and moved bytes; and what the last forward gave.

    One forward goes ahead. The others follow each other without waiting for the GPU, as the steps of a sampler do.
    """
    network.eval().requires_grad_(False)
    weights = bytes_of(network)
    WAYS[way](network, device)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    with torch.no_grad():
        work(network)
        finish(device)
        begin = time.perf_counter()
        for _ in range(forwards):
            result = work(network)
        finish(device)
        seconds = (time.perf_counter() - begin) / forwards
    peak = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else 0
    moved = 0 if way == RESIDENT else weights
    return {"way": way, "seconds": seconds, "moved": moved, "peak": peak}, result.float().cpu()


def measure_all(make, work, device, forwards):
    """A row for each way; "same": it gave what the resident network gave. On the cpu the resident one alone.

    make() gives the network on the cpu, work(network) is one forward. A way that this Python cannot do states why.
    """
    rows, expected = [], None
    for way in WAYS if device.type == "cuda" else [RESIDENT]:
        try:
            row, result = measure(way, make(), work, device, forwards)
            expected = result if way == RESIDENT else expected
            rows.append({**row, "same": expected is not None and torch.equal(result, expected)})
        except Exception as error:  # noqa: BLE001 - a peer that cannot is a row, not the end
            rows.append(refusal(way, error))
        if device.type == "cuda":
            torch.cuda.empty_cache()
    return rows
