"""The version of `repro`, in one place for the package and its build.

Owns the number alone, so that reading it imports nothing else.
"""

from __future__ import annotations

__version__ = "0.1.0"
