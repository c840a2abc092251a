"""What survives of the path of the weights: last, averaged, voted, pocket.

A memory prepares the arrays that the loop fills (`keep`), reads them each time the loop returns (`collect`,
`candidate`), and says which weights answer (`answer`). Its own arrays (`tensors`) are saved with the model, so a run
resumes exactly.
"""

from __future__ import annotations

from typing import Any

from ..errors import SettingError


def memory_classes() -> dict[str, Any]:
    from .averaged import Averaged
    from .last import Last
    from .pocket import Pocket
    from .voted import Voted

    return {cls.name: cls for cls in (Last, Averaged, Voted, Pocket)}


def new_memory(name: str, **settings: Any) -> Any:
    """The memory of this name; settings that it does not know are an error."""
    known = memory_classes()
    if name not in known:
        raise SettingError(f"unknown memory keep={name!r}; the memories are {', '.join(known)}")
    return known[name](**settings)
