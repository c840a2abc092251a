"""The options of a command as a recipe: only what was given, so that a recipe says no more than its user."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from warnings import catch_warnings, simplefilter

from ..errors import SettingError
from ..read.columns import is_number
from ..recipe.recipe import Recipe
from ..recipe.table import recipe_table
from .command import flag, given, in_shell
from .output import note


def recipe_of(words: dict[str, Any], without: Iterable[str] = (), make: Any = Recipe, **others: Any) -> Recipe:
    """The recipe of the options that were given. without: those that mean something else here. make: of words. others:
    further words. SettingError before anything is read."""
    names = (given(words) & set(recipe_table())) - set(without)
    own = {name: words[name] for name in recipe_table() if name in names}  # in one order: files hold it
    if isinstance(own.get("class_weight"), str) and own["class_weight"] != "balanced":
        why = "class weight {!r} is not of the form LABEL=WEIGHT; or give balanced"
        own["class_weight"] = _numbers(own["class_weight"], why)
    if own.get("cost") is not None:
        why = f"{flag('cost')} {own['cost']}: {{!r}} is not of the form LABEL=COST, as spam=1,ham=10"
        own["cost"] = _numbers(own["cost"], why)
    recipe: Recipe = make(**own, **others)
    if "rule" in own and recipe.settings.brings:  # said is said, even where it is the default
        raise SettingError("{metric} brings its own step; leave {rule} out", metric=own["metric"], rule=own["rule"])
    return recipe


def _numbers(text: str, why: str) -> dict[str, float]:
    """`LABEL=NUMBER,…`; why: what is said of a part that is not of this form."""
    out = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        if not equals or not is_number(number):
            raise SettingError(why.format(part))
        out[name] = float(number)
    return out


@contextmanager
def noted() -> Iterator[None]:
    """What Python warns of is a note here, before or after whatever else happens."""
    with catch_warnings(record=True) as caught:
        simplefilter("ignore")
        simplefilter("always", UserWarning)
        try:
            yield
        finally:
            for warning in caught:
                note(f"note: {in_shell(getattr(warning.message, 'args', [''])[0])}")
