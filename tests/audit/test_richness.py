from __future__ import annotations

import pytest

from repro.audit.richness import Richness, chao2, richness


def test_chao2_is_what_the_literature_computes_by_hand() -> None:
    # 4 met once, 2 twice and 4 three times in 10 samples: 10 + 9/10 * 4**2 / (2 * 2) = 13.6.
    # Variance (Colwell et al., 2012, equation 8): 2 * (.45 * 2**2 + .81 * 2**3 + .2025 * 2**4)
    # = 23.04; spread exp(1.96 * sqrt(ln(1 + 23.04 / 3.6**2))) = 7.25; 10 + 3.6/7.25, 10 + 3.6*7.25.
    assert chao2([1] * 4 + [2] * 2 + [3] * 4, 10) == (14, 10, 37)


def test_chao2_without_anything_met_twice_is_bias_corrected() -> None:
    # 9/10 * 3 * 2 / 2 = 2.7
    assert chao2([1, 1, 1, 7], 10)[0] == 4 + 3


def test_nothing_is_missing_where_nothing_was_met_only_once() -> None:
    assert chao2([5, 6, 7], 10) == (3, 3, 3)
    assert richness([["a", "b"], ["b", "c"], ["a", "c"]] * 4) == Richness(3, 3, 3, 3)


def test_what_is_in_every_sample_is_the_whole_of_a_sound_search() -> None:
    assert richness([["a", "b"]] * 8) == Richness(2, 2, 2, 2)


def test_a_sample_that_names_something_twice_meets_it_once() -> None:
    assert richness([["a", "a"], ["a"]]).estimate == 1


def test_finds_that_come_together_make_the_interval_wide_and_leave_the_estimate() -> None:
    """Ten finds in one sample are one draw: it can't be claimed that there are more."""
    together = [[f"{group}{n}" for n in range(10)] for group in "aabbccdef"]
    found = richness(together)
    plain = chao2([2] * 30 + [1] * 30, len(together))
    assert found.seen == 60
    assert found.estimate == plain[0]
    assert found.low < plain[1]
    assert found.high > plain[2]
    assert found.low == 60


def test_a_single_sample_says_nothing_of_what_is_missing() -> None:
    with pytest.raises(ValueError, match="2 samples"):
        richness([["a", "b"]])


def test_what_is_known_from_elsewhere_raises_all_of_it() -> None:
    assert Richness(5, 6, 5, 9).at_least(7) == Richness(7, 7, 7, 9)
    assert Richness(5, 6, 5, 9).at_least(12) == Richness(12, 12, 12, 12)


@pytest.mark.parametrize("samples", [2, 3, 8, 60])
def test_the_interval_is_never_inside_out(samples) -> None:
    for shift in range(1, 6):
        taken = [
            {f"x{(index * shift + step) % 11}" for step in range(3)} for index in range(samples)
        ]
        found = richness(taken)
        assert found.seen <= found.low <= found.estimate <= found.high
