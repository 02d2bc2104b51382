"""Ranks of a probe's serial outcome by brute force, for `test_ranking.py` to compare with.

    python brute_ranks.py PROBE_FOLDER OBJECTIVE ORDERS

Shares nothing with the tool, on purpose: it loads the probe itself, replaces the one function
of AccelForge that collects pmappings, delivers its results in many orders, each in a forked
child that goes on to the end, walks the mappings by itself, and counts.

The orders: every Einsum's results forwards or backwards, in all combinations, for only the
order within an Einsum can matter; then ORDERS random ones. Writes JSON on stdout.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import json
import math
import os
import random
import sys
import tempfile
from pathlib import Path

from ruamel.yaml import YAML

SITE = "accelforge.mapper.FFM._make_pmappings.make_pmappings"


class Replay:
    """Takes the place of the mapper's `parallel`: runs the jobs once, then forks at will."""

    def __init__(self, folder: Path, orders: int) -> None:
        self.folder = folder
        self.orders = orders
        self.child: int | None = None

    def __call__(self, calls, return_as=None, **_options):
        results = [function(*args, **kwargs) for function, args, kwargs in calls]
        if return_as != "generator_unordered":  # two earlier calls, whose results are put in order
            return results
        running: set[int] = set()
        for number, order in enumerate(self.every(results)):
            pid = os.fork()
            if pid == 0:
                self.child = number
                return iter([results[index] for index in order])
            running.add(pid)
            if len(running) == len(os.sched_getaffinity(0)):
                running.remove(ended(os.wait()))
        for _ in running:
            ended(os.wait())
        return iter(results)

    def every(self, results):
        """Yield the orders, submission order first."""
        kinds: dict[str, list[int]] = {}
        for index, result in enumerate(results):
            kinds.setdefault(result[0], []).append(index)
        for turned in itertools.product([False, True], repeat=len(kinds)):
            yield [
                index
                for back, members in zip(turned, kinds.values(), strict=True)
                for index in (reversed(members) if back else members)
            ]
        draw = random.Random(20260730)  # noqa: S311 - orders are no secret
        for _ in range(self.orders):
            order = list(range(len(results)))
            draw.shuffle(order)
            yield order

    def path(self, number: int | None) -> Path:
        return self.folder / f"{number}.json"


def ended(waited: tuple[int, int]) -> int:
    pid, status = waited
    if status:
        raise SystemExit(f"a child ended with status {status}")
    return pid


def load(folder: Path):
    """Return the probe's Spec, ready to be searched serially."""
    import accelforge
    from accelforge.util.parallel import set_n_parallel_jobs

    set_n_parallel_jobs(1)
    probe = YAML(typ="safe").load(folder / "probe.yaml")
    files = [str(folder / probe[name]) for name in ("architecture", "workload")]
    spec = accelforge.Spec.from_yaml(*files, jinja_parse_data=dict(probe["parameters"]))
    metrics = accelforge.Metrics(0)
    for name in probe["metrics"]:
        metrics |= accelforge.Metrics[name]
    spec.mapper.metrics = metrics
    return spec


def search(spec) -> list[dict]:
    """Search once; return each row's objectives and LoopTree."""
    from accelforge.mapper.FFM import main

    pmappings = main.make_pmappings(spec, print_progress=False)
    found = main.join_pmappings(pmappings, metrics=spec.mapper.metrics, print_progress=False)
    rows = []
    for _, row in found.data.iterrows():
        cell = row["Total<SEP>mapping"]
        values = {
            name: float(value)
            for name, value in row.items()
            if name.startswith(("Total<SEP>", "reservation<SEP>")) and not callable(value)
        }
        rows.append(
            {
                "values": {name: value for name, value in values.items() if value},
                "tree": leaves(cell(_for_model=True), dict(cell.rank_variable_bounds)),
            }
        )
    return rows


def leaves(node, extents: dict) -> list:
    """Return a mapping's nodes in execution order, without loops that iterate only once."""
    found: list = []
    split = type(node).__name__ in {"Sequential", "Pipeline"}
    for child in node.nodes:
        if hasattr(child, "nodes"):
            found += leaves(child, dict(extents) if split else extents)
            continue
        kind = type(child).__name__
        if kind in {"Temporal", "Spatial"}:
            ranks, tile = names(child.rank_variable), int(child.tile_shape)
            if any(tile < extents[rank] for rank in ranks):
                extents.update(dict.fromkeys(ranks, tile))
                where = [child.component, str(child.name)] if kind == "Spatial" else []
                found.append([kind, "|".join(ranks), tile, *where])
        elif kind in {"Storage", "Toll"}:
            found.append([kind, child.component, *sorted(child.tensors)])
        elif kind == "Compute":
            found.append([kind, child.component, child.einsum])
    return sorted_spatials(found)


def names(ranks) -> list[str]:
    """Return the rank variables of a loop: most have one, merged loops several."""
    return sorted(map(str, ranks)) if isinstance(ranks, set | frozenset) else [str(ranks)]


def sorted_spatials(nodes: list) -> list:
    """Sort each run of neighbouring spatial loops: they commute."""
    groups = itertools.groupby(nodes, key=lambda node: node[0] == "Spatial")
    return [node for spatial, run in groups for node in (sorted(run) if spatial else run)]


def judge(outcomes: list[list[dict]], by: str) -> list[dict]:
    """Say of each rank of the first outcome what stands there in all of them."""

    def value(row):
        return row["values"].get(by, 0.0)

    def tree(row):
        return json.dumps(row["tree"])

    ranks = []
    for place, row in enumerate(sorted(outcomes[0], key=value)):
        equal, settled = set(), True
        for outcome in outcomes:
            ahead = sum(value(other) < value(row) * (1 - 1e-6) for other in outcome)
            here = [o for o in outcome if math.isclose(value(o), value(row), rel_tol=1e-6)]
            settled &= ahead == place and [tree(other) for other in here] == [tree(row)]
            equal |= {tree(other) for other in outcome if other["values"] == row["values"]}
        ranks.append(
            {
                "value": value(row),
                "settled": settled,
                "trees": sorted(map(json.loads, equal)),
                "serial": row["tree"],
            }
        )
    return ranks


def main() -> None:
    folder, by, orders = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as scratch:
        replay = Replay(Path(scratch), orders)
        with contextlib.redirect_stdout(io.StringIO()):
            spec = load(folder)
            importlib.import_module(SITE).parallel = replay
            rows = search(spec)
        if replay.child is not None:
            replay.path(replay.child).write_text(json.dumps(rows), encoding="utf-8")
            os._exit(0)
        children = sorted(Path(scratch).iterdir(), key=lambda path: int(path.stem))
        outcomes = [json.loads(path.read_text(encoding="utf-8")) for path in children]
        json.dump({"outcomes": len(outcomes), "ranks": judge([rows, *outcomes], by)}, sys.stdout)


if __name__ == "__main__":
    main()
