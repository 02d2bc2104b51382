"""Small searches that use joblib in every way it allows, and some that end badly."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import sys
import threading
import time
from pathlib import Path

import joblib
from joblib import Parallel, delayed

JOBS = 6


def row(index):
    return {"cost": 1.0, "name": f"job {index}"}


def jobs(count=JOBS):
    return [delayed(row)(index) for index in range(count)]


def first(workers=2):
    """Unordered, first wins: the textbook fault."""
    return [next(iter(Parallel(n_jobs=workers, return_as="generator_unordered")(jobs())))]


def all_in_arrival_order(workers=2):
    return list(Parallel(n_jobs=workers, return_as="generator_unordered")(jobs()))


def as_list(workers=2):
    return Parallel(n_jobs=workers)(jobs())


def as_generator(workers=2):
    return list(Parallel(n_jobs=workers, return_as="generator")(jobs()))


def lazy_input(workers=2):
    stream = (delayed(row)(index) for index in range(JOBS))
    return list(Parallel(n_jobs=workers, return_as="generator_unordered")(stream))


def endless_input(workers=2):
    stream = (delayed(row)(index) for index in itertools.count())
    results = Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch=4)(stream)
    return list(itertools.islice(results, 3))


def early_break(workers=2):
    kept = []
    for result in Parallel(n_jobs=workers, return_as="generator_unordered")(jobs()):
        kept.append(result)
        if len(kept) == 3:
            break
    return kept


def managed(workers=2):
    with Parallel(n_jobs=workers, return_as="generator_unordered") as parallel:
        once = list(parallel(jobs()))
        twice = list(parallel(jobs(3)))
    return once + twice


def threads(workers=2):
    parallel = Parallel(n_jobs=workers, backend="threading", return_as="generator_unordered")
    return list(parallel(jobs()))


def one_job(workers=2):
    return list(Parallel(n_jobs=workers, return_as="generator_unordered")(jobs(1)))


def rekeyed(workers=2):
    """Unordered, but sorted by what the job says it is: sound."""
    rows = Parallel(n_jobs=workers, return_as="generator_unordered")(jobs())
    return sorted(rows, key=lambda found: found["name"])


def _inner(outer):
    names = Parallel(n_jobs=2, backend="threading", return_as="generator_unordered")(
        delayed(row)(index) for index in range(3)
    )
    return {"cost": float(outer), "name": next(iter(names))["name"]}


def nested(workers=2):
    """An unordered call inside a job; the outer call keeps its order."""
    return Parallel(n_jobs=workers)(delayed(_inner)(outer) for outer in range(2))


def from_a_thread(workers=2):
    """The search starts a thread of its own and calls joblib from there."""
    found = []
    worker = threading.Thread(target=lambda: found.extend(all_in_arrival_order(workers)))
    worker.start()
    worker.join()
    return sorted(found, key=lambda each: each["name"])


def beside_a_thread(workers=2):
    """First wins, while a thread of the search's own is alive: forking is impossible."""
    stop = threading.Event()
    worker = threading.Thread(target=stop.wait)
    worker.start()
    try:
        return first(workers)
    finally:
        stop.set()
        worker.join()


def without_joblib(workers=2):
    del workers
    return [row(0)]


def told(workers=2):
    """Cuts its work by the worker count, as FFM's join does."""
    return [{"cost": 1.0, "name": f"one of {workers}"}]


def raises(workers=2):
    return Parallel(n_jobs=workers)(delayed(_raise)(index) for index in range(2))


def _raise(index):
    msg = f"job {index} can't be done"
    raise ValueError(msg)


def raises_if_reordered(workers=2):
    rows = list(Parallel(n_jobs=workers, return_as="generator_unordered")(jobs()))
    if rows[0]["name"] != "job 0" and workers > 1:
        msg = "the first result isn't the first job's"
        raise LookupError(msg)
    return rows[:1]


def killed(workers=2):
    del workers
    os.kill(os.getpid(), signal.SIGKILL)


def killed_in_a_worker(workers=2):
    if workers == 1:
        return [row(0)]
    return Parallel(n_jobs=workers)(delayed(os.kill)(os.getpid(), 0) for _ in range(1)) and list(
        Parallel(n_jobs=workers)(delayed(_die)(index) for index in range(2))
    )


def _die(index):
    if joblib.parallel.mp is not None and index == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return row(index)


def hangs(workers=2):
    del workers
    time.sleep(600)


def silent(workers=2):
    del workers
    os._exit(0)


def exits(workers=2):
    del workers
    sys.exit(0)


def disk_full(workers=2):
    del workers
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def empty(workers=2):
    del workers
    return []


def impure(workers=2):
    """A job counts how many ran before it in its process."""
    return Parallel(n_jobs=workers)(delayed(_count)(index) for index in range(4))


_counter = itertools.count()


def _count(index):
    return {"cost": float(next(_counter)), "name": f"job {index}"}


def opaque(workers=2):
    """A job's result can't be seen through."""
    found = Parallel(n_jobs=workers, backend="threading")(
        delayed(_generator)(index) for index in range(2)
    )
    return [
        {"cost": float(sum(numbers)), "name": str(place)} for place, numbers in enumerate(found)
    ]


def _generator(index):
    return (number for number in range(index + 1))


def two_sites(workers=2):
    """The first unordered call is sound, the second isn't."""
    rows = Parallel(n_jobs=workers, return_as="generator_unordered")(jobs())
    ordered = sorted(rows, key=lambda found: found["name"])
    late = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(dict)(found) for found in ordered
    )
    return [next(iter(late))]


def hangs_if_reordered(workers=2):
    rows = all_in_arrival_order(workers)
    if rows[0]["name"] != "job 0":
        time.sleep(600)
    return rows


def sound_or_hangs(workers=2):
    return sorted(hangs_if_reordered(workers), key=lambda found: found["name"])


def dies_if_reordered(workers=2):
    rows = all_in_arrival_order(workers)
    if rows[0]["name"] != "job 0":
        os.kill(os.getpid(), signal.SIGKILL)
    return rows


def many_calls(workers=2):
    """One site, reached eight times, with two to nine jobs."""
    found = []
    for count in (2, 5, 9, 3, 4, 6, 7, 8):
        results = Parallel(n_jobs=workers, return_as="generator_unordered")(jobs(count))
        found += sorted(results, key=lambda each: each["name"])
    return found


def _slowly(index):
    time.sleep(0.05)
    return row(index)


def slow(workers=2):
    """Sound, and slow enough to be stopped in any phase."""
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(_slowly)(index) for index in range(JOBS)
    )
    rows = sorted(found, key=lambda each: each["name"])
    time.sleep(0.2)
    return rows


def _named(value):
    return [{"cost": 1.0, "name": str(value)}]


def by_hash_seed(workers=2):
    del workers
    return _named(hash("a text"))


def by_time_zone(workers=2):
    del workers
    return _named(time.strftime("%H:%M %Z", time.localtime(0)))


def by_threads(workers=2):
    del workers
    return _named(os.environ.get("OMP_NUM_THREADS"))


def by_folder(workers=2):
    del workers
    return _named(Path.cwd())


def by_clock(workers=2):
    del workers
    return _named(time.time_ns())


def by_process(workers=2):
    del workers
    return _named(os.getpid())


def shared_memory(workers=2):
    """Jobs return nothing and write to one dict: the first to write wins."""
    best = {}

    def job(index):
        time.sleep(0.02 * index)
        best.setdefault("design", index)

    Parallel(n_jobs=workers, require="sharedmem")(delayed(job)(index) for index in range(4))
    return [{"cost": 1.0, "name": best["design"]}]
