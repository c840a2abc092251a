"""What the benchmarks on the shared data sets ask of their command line."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

DATA = Path(__file__).parent.parent.parent / "shared" / "data"


def parser(description: str | None) -> argparse.ArgumentParser:
    """With --data, the folder of the sets, and --json."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--data", type=Path, default=DATA)
    made.add_argument("--json", action="store_true")
    return made


def parsed(made: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments; where the data are not at hand, there is nothing to measure, and that is said."""
    arguments = made.parse_args()
    if not arguments.data.is_dir():
        print(f"the data sets are not at {arguments.data}; name their folder with --data")
        sys.exit(0)
    return arguments
