"""`python -m repro`: the same as the command `repro`.

Owns nothing; the process's edge is `repro.cli.main`.
"""

from __future__ import annotations

import sys

from repro.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
