from __future__ import annotations

import copy
import enum
import functools
import math
import pickle
import re
import struct
import threading
import uuid
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, PrivateAttr

from repro.canon.value import Walker, value_digest
from repro.errors import OpaqueValueError


@dataclass
class Point:
    x: Any
    y: Any = None


class Slotted:
    __slots__ = ("left", "right")

    def __init__(self, left: object, right: object) -> None:
        self.left = left
        self.right = right


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Model(BaseModel):
    name: str = "a"
    _count: int = PrivateAttr(default=0)


class Reduced:
    """Tells pickle less than it holds: a cache doesn't count."""

    def __init__(self, kept: object, cache: object) -> None:
        self.kept = kept
        self.cache = cache

    def __reduce__(self) -> tuple:
        return Reduced, (self.kept, None)


class Text(str):
    __slots__ = ()


class Items(list):
    pass


class Names(set):
    pass


def make_adder(amount: object) -> Any:
    return lambda number: number + amount


def twice(number: int, *, by: int = 2) -> int:
    return number * by


def ring(*names: str) -> list[Point]:
    """Return points each of which holds the next, the last one the first."""
    points = [Point(name) for name in names]
    for point, other in zip(points, [*points[1:], points[0]], strict=True):
        point.y = other
    return points


NAN = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000001))[0]
FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4], "c": ["x", "y"]})

# Each of these differs from every other one.
DIFFERENT: list[Any] = [
    None,
    True,
    1,
    1.0,
    -1,
    0.0,
    -0.0,
    math.nan,
    NAN,
    math.inf,
    1j,
    2**80,
    "1",
    "",
    b"1",
    bytearray(b"1"),
    [],
    [1],
    [[1]],
    [1, 2],
    [2, 1],
    (),
    (1,),
    (1, 2),
    {1, 2},
    frozenset({1, 2}),
    {1: 2},
    {2: 1},
    {"a": 1, "b": 2},
    {"b": 2, "a": 1},
    OrderedDict(a=1, b=2),
    defaultdict(list, a=1, b=2),
    defaultdict(set, a=1, b=2),
    MappingProxyType({"a": 1, "b": 2}),
    deque([1, 2]),
    deque([1, 2], maxlen=2),
    Point(1, 2),
    Point(1, 3),
    Point([1], 2),
    Slotted(1, 2),
    Slotted(2, 1),
    SimpleNamespace(x=1, y=2),
    Colour.RED,
    Colour.BLUE,
    Model(),
    Model(name="a"),
    Model(name="b"),
    Text("1"),
    Items([1]),
    Names({1, 2}),
    Point,
    Slotted,
    int,
    list[int],
    twice,
    make_adder(1),
    make_adder(2),
    make_adder,
    functools.partial(twice, 1),
    functools.partial(twice, 2),
    functools.partial(twice, 1, by=3),
    Point(1).__eq__,
    Point(2).__eq__,
    len,
    [].append,
    [1].append,
    math,
    uuid.UUID(int=1),
    uuid.UUID(int=2),
    Path("a"),
    Path("b"),
    re.compile("a"),
    re.compile("a", re.IGNORECASE),
    datetime(2024, 1, 1, tzinfo=UTC),
    range(3),
    range(4),
    slice(1),
    ...,
    NotImplemented,
    sympy.Symbol("x"),
    sympy.Symbol("x", positive=True),
    sympy.Symbol("x") + 1,
    sympy.Symbol("x") * 2,
    sympy.Integer(1),
    np.float64(1.0),
    np.float32(1.0),
    np.int64(1),
    np.array([1.0, 2.0]),
    np.array([2.0, 1.0]),
    np.array([[1.0, 2.0]]),
    np.array([1, 2]),
    np.array([1.0, 2.0], dtype="f4"),
    np.array([1, 2], dtype=object),
    np.array([1, "2"], dtype=object),
    np.array([(1, 2.0)], dtype=[("a", "i8"), ("b", "f8")]),
    np.array([(1, 2.0)], dtype=[("a", "i8"), ("c", "f8")]),
    np.array(["a"]),
    np.dtype("f4"),
    np.dtype("f8"),
    np.add,
    np.subtract,
    pd.Series([1.0, 2.0]),
    pd.Series([1.0, 2.0], name="a"),
    pd.Series([1.0, 2.0], index=[1, 2]),
    pd.Series(["a", None]),
    pd.Series(["a", "b"], dtype="category"),
    pd.Series(pd.Categorical(["a", "b"], categories=["a", "b", "c"])),
    pd.Series([1, None], dtype="Int64"),
    pd.Series([1, 0], dtype="Int64"),
    pd.Index(["a"]),
    pd.Index(["a"], name="n"),
    pd.RangeIndex(3),
    pd.RangeIndex(4),
    pd.MultiIndex.from_tuples([("a", 1)]),
    pd.array([1, 2], dtype="Int64"),
    FRAME,
    FRAME.iloc[::-1],
    FRAME[["b", "a", "c"]],
    FRAME.rename(columns={"a": "z"}),
    FRAME.astype({"b": "float64"}),
    FRAME.set_axis([5, 6]),
]

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.binary(max_size=3)
    | st.frozensets(st.text(max_size=2), max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.builds(Point, inner, inner)
        | st.builds(Slotted, inner, inner)
    ),
    max_leaves=8,
)


def test_different_values_have_different_digests() -> None:
    found: dict[str, list[Any]] = {}
    for value in DIFFERENT:
        found.setdefault(value_digest(value), []).append(value)
    assert [same for same in found.values() if len(same) > 1] == []


def test_a_value_that_went_to_another_process_and_back_keeps_its_digest() -> None:
    for value in DIFFERENT:
        back = cloudpickle.loads(cloudpickle.dumps(value))
        assert value_digest(back) == value_digest(value), repr(value)


@given(PLAIN)
def test_a_copy_that_shares_nothing_has_the_same_digest(value) -> None:
    assert value_digest(pickle.loads(pickle.dumps(value))) == value_digest(value)  # noqa: S301


@given(PLAIN)
def test_which_parts_are_one_object_makes_no_difference(value) -> None:
    shared = [value, value, {"again": value}]
    apart = [copy.deepcopy(value), value, {"again": copy.deepcopy(value)}]
    assert value_digest(shared) == value_digest(apart)


@given(PLAIN, PLAIN)
def test_digests_are_equal_exactly_when_pickles_without_sharing_would_be(one, other) -> None:
    # repr of these types says all there is to them but for the bits of NaNs and signs.
    same = _told(one) == _told(other)
    assert (value_digest(one) == value_digest(other)) == same


def _told(value: Any) -> Any:
    kind = type(value).__name__
    match value:
        case float():
            return struct.pack("<d", value)
        case list() | tuple():
            return kind, [_told(item) for item in value]
        case dict():
            return kind, [(key, _told(item)) for key, item in value.items()]
        case Point(x=one, y=other) | Slotted(left=one, right=other):
            return kind, _told(one), _told(other)
    return kind, sorted(value) if isinstance(value, frozenset) else value


def test_the_order_of_a_set_makes_no_difference() -> None:
    names = [f"name{place}" for place in range(50)]
    assert value_digest({*names}) == value_digest({*reversed(names)})
    assert value_digest(Names(names)) == value_digest(Names(reversed(names)))


def test_attributes_count_by_name_whatever_order_they_were_set_in() -> None:
    one, other = SimpleNamespace(), SimpleNamespace()
    one.x, one.y = 1, 2
    other.y, other.x = 2, 1
    assert value_digest(one) == value_digest(other)


def test_private_attributes_of_models_count() -> None:
    counted = Model()
    counted._count = 7
    assert value_digest(counted) != value_digest(Model())


def test_what_a_class_keeps_from_pickle_does_not_count() -> None:
    assert value_digest(Reduced(1, "warm")) == value_digest(Reduced(1, None))
    assert value_digest(Reduced(1, None)) != value_digest(Reduced(2, None))


def test_a_closure_counts_with_what_it_closed_over() -> None:
    assert value_digest(make_adder([1, 2])) == value_digest(make_adder([1, 2]))
    assert value_digest(make_adder([1, 2])) != value_digest(make_adder([2, 1]))


def test_a_function_that_calls_itself_by_closure_ends() -> None:
    def make() -> Any:
        def count(number: int) -> int:
            return 0 if number == 0 else 1 + count(number - 1)

        return count

    assert value_digest(make()) == value_digest(make())


def test_arrays_count_by_content_and_not_by_layout() -> None:
    rows = np.arange(12.0).reshape(3, 4)
    assert value_digest(rows) == value_digest(np.asfortranarray(rows))
    assert value_digest(rows[:, ::2]) == value_digest(rows[:, ::2].copy())


def test_frames_count_by_columns_and_not_by_how_pandas_packs_them() -> None:
    packed = pd.DataFrame(np.arange(6.0).reshape(3, 2), columns=["a", "b"])
    apart = pd.DataFrame({"a": packed["a"].copy()})
    apart["b"] = packed["b"].copy()
    assert value_digest(packed) == value_digest(apart)


def test_attrs_of_a_frame_count() -> None:
    noted = FRAME.copy()
    noted.attrs["source"] = "probe"
    assert value_digest(noted) != value_digest(FRAME)


def test_views_and_copies_of_an_array_in_one_value_are_told_apart_by_content_alone() -> None:
    base = np.arange(4.0)
    assert value_digest([base, base[:2]]) == value_digest([base.copy(), base[:2].copy()])


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_cycle_ends_and_equals_another_of_its_kind(size) -> None:
    names = [f"p{place}" for place in range(size)]
    assert value_digest(ring(*names)[0]) == value_digest(ring(*names)[0])


def test_cycles_of_different_length_or_content_differ() -> None:
    digests = {value_digest(ring(*names)[0]) for names in ("a", "aa", "aaa", "ab", "ba", "aab")}
    assert len(digests) == 6


def test_a_cycle_differs_by_where_it_is_entered() -> None:
    one, two = ring("a", "b")
    assert value_digest(one) != value_digest(two)
    assert value_digest([one, two]) == value_digest(list(ring("a", "b")))


def test_a_cycle_and_a_copy_of_it_are_as_good_as_twice_the_same() -> None:
    one, other = ring("a", "b", "c")[0], ring("a", "b", "c")[0]
    assert value_digest([one, one]) == value_digest([one, other])


def test_what_hangs_on_a_cycle_is_seen() -> None:
    def loaded(load: object) -> Point:
        first, second = ring("a", "b")
        second.x = load
        return first

    assert value_digest(loaded([1, [2]])) == value_digest(loaded([1, [2]]))
    assert value_digest(loaded([1, [2]])) != value_digest(loaded([1, [3]]))


def test_two_cycles_through_one_object_end() -> None:
    def figure_eight(last: str) -> Point:
        middle = Point("middle")
        left, right = Point("left", middle), Point(last, middle)
        middle.y = [left, right]
        return left

    assert value_digest(figure_eight("right")) == value_digest(figure_eight("right"))
    assert value_digest(figure_eight("right")) != value_digest(figure_eight("wrong"))


def test_a_cycle_beside_a_chain_into_it_is_closed_only_once_it_is_whole() -> None:
    def made(mark: str) -> list:
        a, b, c, d = (Point(name) for name in ("a", "b", "c", mark))
        a.y, b.y, c.y, d.y = [b], [c, d], [a], [b]
        return [c, d, a, b, d]

    assert value_digest(made("d")) == value_digest(made("d"))
    assert value_digest(made("d")) != value_digest(made("e"))


def test_sets_in_a_cycle_do_not_depend_on_the_order_of_their_members() -> None:
    class Node:
        def __init__(self, name: str) -> None:
            self.name = name
            self.peers: set = set()

    def clique(names: str) -> Node:
        nodes = [Node(name) for name in names]
        for node in nodes:
            node.peers.update(nodes)
        return next(node for node in nodes if node.name == "a")

    # Members hash by address, so the order of these sets changes from call to call.
    digests = {value_digest(clique(names)) for names in ("abcd", "dcba", "bdac", "cabd")}
    assert len(digests) == 1
    assert value_digest(clique("abce")) not in digests


def test_a_long_chain_of_backward_links_takes_no_longer_than_it_is() -> None:
    points = [Point(place) for place in range(60)]
    for point in points:
        point.y = points
    assert value_digest(points) == value_digest(copy.deepcopy(points))


def test_digests_are_the_same_in_every_process(fresh) -> None:
    code = (
        "import functools, sympy, uuid, numpy, pandas\n"
        "from repro.canon.value import value_digest\n"
        "def f(x, y=3): return {x, y, 'a', 'b'}\n"
        "x = sympy.Symbol('x')\n"
        "print(value_digest([{'s': set('qwertyuiop'), 'f': functools.partial(f, 1)},\n"
        "    frozenset(map(str, range(99))), x + x**2 + 3, uuid.UUID(int=5),\n"
        "    pandas.DataFrame({'a': ['x', 'y'], 'b': [1.5, 2.5]}), numpy.arange(3), f]))"
    )
    told = {fresh("-c", code, env={"PYTHONHASHSEED": str(seed)}).stdout for seed in (0, 1, 2)}
    assert len(told) == 1
    assert re.fullmatch(r"[0-9a-f]{32}\n", told.pop())


@pytest.mark.parametrize(
    ("opaque", "kind"),
    [
        (threading.Lock(), "_thread.lock"),
        ((n for n in "ab"), "builtins.generator"),
        (memoryview(b"a"), "builtins.memoryview"),
        ({}.keys(), "builtins.dict_keys"),
        (threading.local(), "_thread._local"),
    ],
)
def test_what_cannot_be_seen_through_is_named_with_the_path_to_it(opaque, kind) -> None:
    value = ["plain", {"deep": (1, Point(2, SimpleNamespace(held=opaque)))}]
    with pytest.raises(OpaqueValueError, match=re.escape(f"a {kind} can't be seen")) as caught:
        value_digest(value)
    assert caught.value.where == "value[1]['deep'][1].y.held"


def test_an_open_file_is_opaque(tmp_path) -> None:
    with (tmp_path / "file").open("w") as file, pytest.raises(OpaqueValueError) as caught:
        value_digest(functools.partial(print, file=file))
    assert caught.value.where == "value.keywords['file']"


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (make_adder(threading.Lock()), "value<closure amount>"),
        ({1, threading.Lock()}, "value{…}"),
        (np.array([threading.Lock()], dtype=object), "value[0]"),
        (pd.DataFrame({"a": [1, threading.Lock()]}), "value['a'][1]"),
        (Slotted(1, threading.Lock()), "value.right"),
        (SimpleNamespace(f=threading.Lock().acquire), "value.f<argument 0>"),
        (deque([1, threading.Lock()]), "value[1]"),
    ],
)
def test_the_path_leads_through_every_kind_of_holder(value, path) -> None:
    with pytest.raises(OpaqueValueError) as caught:
        value_digest(value)
    assert caught.value.where == path


def test_an_opaque_value_in_a_cycle_is_found_and_the_walk_ends() -> None:
    first, second = ring("a", "b")
    second.x = threading.Lock()
    with pytest.raises(OpaqueValueError) as caught:
        value_digest(first)
    assert caught.value.where == "value.y.x"


def test_what_is_nested_too_deeply_is_opaque_and_no_fault() -> None:
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(OpaqueValueError, match="nested too deeply"):
        value_digest(deep)


def test_a_walker_can_be_used_again_after_an_opaque_value() -> None:
    walker = Walker()
    first, second = ring("a", "b")
    second.x = threading.Lock()
    with pytest.raises(OpaqueValueError):
        walker.digest([first, "later"])
    second.x = 1
    plain = ring("a", "b")[0]
    plain.y.x = 1
    assert walker.digest(first) == value_digest(plain)


def test_values_made_on_the_way_do_not_lend_their_ids_to_others() -> None:
    class Fresh:
        def __init__(self, number: int) -> None:
            self.number = number

        def __reduce__(self) -> tuple:
            return Fresh, ([self.number, [self.number]],)

    numbers = [Fresh(number) for number in range(2000)]
    walker = Walker()
    assert len({walker.digest(number) for number in numbers}) == 2000


def test_random_names_can_be_taken_for_any_other_but_nothing_else() -> None:
    def named(name: uuid.UUID, load: int = 1) -> dict:
        return {name: [load, name]}

    one, other = uuid.uuid4(), uuid.uuid4()
    assert value_digest(named(one)) != value_digest(named(other))
    assert value_digest(named(one), names=False) == value_digest(named(other), names=False)
    assert value_digest(named(one, 2), names=False) != value_digest(named(one), names=False)
    fixed = uuid.uuid5(uuid.NAMESPACE_URL, "a"), uuid.uuid5(uuid.NAMESPACE_URL, "b")
    assert value_digest(fixed[0], names=False) != value_digest(fixed[1], names=False)
    assert value_digest(fixed[0], names=False) != value_digest(one, names=False)
