"""What a person asks for, as one value: how data are read, what features are made of them, what learns from them and
for how long, and how it answers."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..core.rows import Array
from ..data.batch import Source
from ..data.checks import seed_of
from ..errors import SettingError, located, naming
from ..features.parameters import FEATURES
from ..features.pipeline import Options
from ..kernels import kernel_name
from ..kernels.virtual import virtual_from
from ..learn.others import OF_OTHERS
from ..learn.rule import rule_name
from ..learn.run import Limits
from ..learn.settings import WORDS, Settings, check_together
from ..mailtext.fields import checked
from ..model.marks import marks, share_known
from ..model.model import Model
from ..model.thresholds import Wish, chosen
from ..optimizers import optimizer_from
from ..parameters import described, signature_of
from ..read import reading_table
from ..read.anything import no_text, source_like
from ..read.several import Several
from . import training
from .table import is_default, recipe_table, without_effect


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Recipe:
    """What is asked for: everything that makes a model of data.

    `Recipe(keep="averaged", scale="standard").fit("heart.csv").save("heart.model")`: the words are those of
    `LinearClassifier`, and of features, reading and thresholds besides; what is not said has its default. A recipe is a
    value: `with_` gives another one, equal words are equal recipes, `as_dict` and `from_dict` are its JSON.

    Data are
        a path (str or Path; "-" is standard input), read as its suffix or first line says (`format`),
        a list of paths, read as one; {label: path or list of paths}, where the rows have no labels of their own,
        a `Source`: anything that yields batches again and again, as `rosenblatt.read.open_source` gives it,
        an (n, d) array, list, scipy sparse matrix or DataFrame, with labels y (n,),
        a list of texts (str), or of whole mails (bytes), with labels y (n,).

    Parameters
    ----------
    {parameters}

    Raises
    ------
    SettingError (a ValueError): a word that there is not, a value out of range, words that do not go together.

    Examples
    --------
    >>> from rosenblatt import Recipe
    >>> model = Recipe(keep="averaged").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[-1.0], [5.0]])
    array([0, 1])
    """

    words: Mapping[str, Any]
    """What was said, by name."""

    def __init__(self, **words: Any) -> None:
        table = recipe_table()
        for name, value in words.items():
            if name in table and table[name].kind is list and isinstance(value, str):
                words[name] = value.split(",")
            if name not in table:
                options = {each.options.lstrip("-").replace("-", "_"): each.name for each in table.values()}
                near = [options[name]] if name in options else [OF_OTHERS[name]] if name in OF_OTHERS else []
                near = near or difflib.get_close_matches(name, table, 1)
                hint = f"; did you mean {near[0]}?" if near else f"; the words are {', '.join(table)}"
                raise SettingError(f"a recipe has no word {{{name}.name}}{hint}", **{name: words[name]})
        object.__setattr__(self, "words", {name: _tidied(name, value) for name, value in words.items()})
        self._check()

    def __repr__(self) -> str:
        return f"Recipe({', '.join(f'{name}={value!r}' for name, value in self.words.items())})"

    def __eq__(self, other: object) -> bool:
        """Whether the same words say the same; arrays and rows that hold the same are the same."""
        if not isinstance(other, Recipe):
            return NotImplemented
        return self.words.keys() == other.words.keys() and all(_equal(self[n], other[n]) for n in self.words)

    def __hash__(self) -> int:
        return hash(frozenset(self.words))

    def __getitem__(self, name: str) -> Any:
        """What a word says, or its default."""
        return self.words.get(name, recipe_table()[name].default)

    def with_(self, **words: Any) -> Recipe:
        """The same but for these words."""
        return Recipe(**{**self.words, **words})

    def instead(self, **words: Any) -> Recipe:
        """The same but for these words, and without those that have no effect beside them."""
        both = {**self.words, **words}
        idle = without_effect(both)
        for name in idle:
            recipe_table()[name].check(both[name])
        return Recipe(**{name: value for name, value in both.items() if name not in idle})

    def without(self, *names: str) -> Recipe:
        """The same with the defaults of these words."""
        return Recipe(**{name: value for name, value in self.words.items() if name not in names})

    def as_dict(self) -> dict[str, Any]:
        """The words as JSON holds them; rules and metrics by name. What JSON cannot hold (functions, arrays, rows) is
        left out."""
        named = {name: rule_name(getattr(self.settings, name)) for name in ("rule", "metric")}
        if self.settings.kernel is not None:
            named["kernel"] = kernel_name(self.settings.kernel)
        out = {}
        for name, value in self.words.items():
            with suppress(TypeError):
                out[name] = named[name] if name in named else _plain(value)
        return out

    @classmethod
    def from_dict(cls, words: Mapping[str, Any]) -> Recipe:
        """The inverse of `as_dict`; also of `Model.recipe`."""
        return cls(**words)

    @classmethod
    def to_go_on(cls, **words: Any) -> Recipe:
        """What is said of more of a model: words that have an effect only with its own are welcome, too."""
        made = cls.__new__(cls)
        object.__setattr__(made, "words", words)
        made._check(going_on=True)
        return made

    # --- making models ---

    def fit(self, data: Any, y: Any = None, sample_weight: Any = None, observers: Any = ()) -> Model:
        """Learn a model from labelled data.

        data, y: see above. sample_weight: (n,) ≥ 0. observers: functions of an `Event`, called after each epoch and
        65,536 rows (True from one ends the run), or observers (`rosenblatt.learn.observers`). Raises DataError for data
        that cannot be read or learned from, naming file, line, row or feature.
        """
        return training.new(self, no_text(data), y, sample_weight, observers).model

    def fit_more(self, model: Model, data: Any, y: Any = None, sample_weight: Any = None, observers: Any = ()) -> Model:
        """Go on with a model, exactly as it began, by its own reading, features and settings; `model` stays as it is.

        Of this recipe's words only limits, validation, calibration and threshold count: SettingError where others say
        something else than the model's.
        """
        return training.further(self, training.model_of(model), no_text(data), y, sample_weight, observers).model

    def choose_threshold(
        self,
        model: Model,
        data: Any,
        y: Any = None,
        called: str = "",
        watch: Callable[[Array, Array], None] | None = None,
    ) -> Model:
        """The model with the threshold that this recipe asks for, chosen on labelled data: better not those that it has
        learned from. called: what the data are called in the record. watch: is called with the scores as learned, (n,),
        and the labels before the choice. Raises SettingError where none is asked for."""
        model = training.model_of(model)
        source = source_like(no_text(data), model, y, labelled=True)
        found: list[Array] = []
        raw = replace(model, threshold=0.0)
        scores, labels = raw.scores_and_labels(source, lambda part: found.append(marks(part.rows)))
        known = share_known(model.learned_from, np.concatenate(found))
        if watch is not None:
            watch(scores, labels)
        with naming(source.origin):
            return chosen(model, scores, labels, self.wish, called or source.origin, known)

    # --- its parts ---

    @cached_property
    def settings(self) -> Settings:
        """Of the learner."""
        words = {name: value for name, value in self.words.items() if name in WORDS}
        return Settings.of(**words, shuffle=isinstance(self["order"], str) and self["order"] == "shuffled")

    @property
    def limits(self) -> Limits:
        """When learning stops at the latest."""
        return Limits(self["max_iter"], self["max_updates"], self["max_time"])

    @property
    def features(self) -> Options:
        """How documents become rows, and how rows are scaled."""
        words = {each.name: self.words[each.name] for each in FEATURES if each.name in self.words}
        scale = words.pop("scale", "auto") or "none"
        kernel, seed = self.settings.kernel, self.settings.random_state
        return Options(**words, scale=None if scale == "auto" else scale, kernel=kernel, seed=seed)

    @property
    def reading(self) -> dict[str, Any]:
        """What the reader is told."""
        return {name: self.words[name] for name in reading_table() if self.words.get(name) is not None}

    @property
    def wish(self) -> Wish:
        """What a threshold is chosen by; empty where none is."""
        return Wish(*map(self.__getitem__, Wish._fields))

    @property
    def calibration(self) -> tuple[str, int] | None:
        """(kind, folds), or None."""
        return None if self["calibrate"] is None else (self["calibrate"], int(self["calibrate_folds"]))

    def class_weight(self, y: Array) -> Any:
        """`class_weight` with the labels as they are in y: in text too, as the shell says them."""
        asked = self["class_weight"]
        if not isinstance(asked, Mapping):
            return asked
        labels = {str(label): label for label in np.unique(y).tolist()}
        return {labels.get(str(name), name): weight for name, weight in asked.items()}

    def order(self, rows: int) -> Array | None:
        """Row numbers from 0 that an epoch goes through; None: all. rows: how many there are."""
        order = self["order"]
        if not isinstance(order, (str, Path)):
            return order  # type: ignore[no-any-return]
        return None if str(order) in ("shuffled", "given") else _numbers(Path(order), rows)

    def refuse(self, names: Any, why: str) -> None:
        """SettingError where one of these words was said."""
        for name in names:
            if name in self.words:
                raise SettingError(f"{{{name}.name}}: {why}", **{name: self.words[name]})

    def check_kind(self, source: Source) -> None:
        """SettingError where a word for texts was said, and the data are numbers."""
        if source.kind == "rows":
            own = self.words
            texts = [each.name for each in FEATURES if each.data == "documents" and each.name in own]
            texts = [name for name in texts if not is_default(name, own[name])]
            self.refuse(texts, f"{source.origin} has numbers; the option is for texts and mails")

    # --- inside ---

    def _check(self, going_on: bool = False) -> None:
        """SettingError before anything is read. going_on: what has no effect by itself may have one in a model."""
        words = self.words
        for name, needs in ({} if going_on else without_effect(words)).items():
            others = needs.pop("", "")
            listed = [f"{{{other}:s}}" if value else f"{{{other}.name}}" for other, value in needs.items()]
            text = f"{{{name}.name}} has an effect only with {' or '.join([*listed, *filter(None, [others])])}"
            raise SettingError(text, **{name: words[name], **needs})
        self._check_order()
        held = self["validation"]
        if isinstance(held, (int, float)) and not 0.0 < held < 1.0:
            raise SettingError("{validation} must be a share of the rows between 0 and 1", validation=held)
        _ = self.settings
        for name, value in words.items():
            if name not in WORDS:
                recipe_table()[name].check(value)
        check_together(self.settings.rule, words.get("multi_class"))
        if self["virtual"] is not None:
            virtual_from(self["virtual"])
        asked = [name for name in Wish._fields[:3] if self[name] is not None]
        if len(asked) > 1:
            text = f"{{{asked[0]}.name}} and {{{asked[1]}.name}}: a threshold is chosen by one of them"
            raise SettingError(text, **dict.fromkeys(asked))

    def _check_order(self) -> None:
        order = self["order"]
        if isinstance(order, str) and order in ("shuffled", "given"):
            return
        shown = order if isinstance(order, (str, Path)) else "of row numbers"
        if isinstance(order, (str, Path)) and not Path(order).is_file():
            found = f"order {order!r}: choose shuffled, given, or a file of row numbers"
            raise SettingError(f"{found}; there is no such file")
        name = str(self["optimizer"])
        if optimizer_from(name).picks:
            raise SettingError(f"optimizer {name} picks the rows itself; it takes no order from a file")
        if isinstance(self["validation"], float):
            text = "{order:s} names rows of all the data, and {validation.name} sets some of them aside"
            raise SettingError(f"{text}; name a file of validation rows", order=shown, validation=None)


def _numbers(path: Path, rows: int) -> Array:
    """The row numbers of a file, counted from 0 from here on."""
    numbers = []
    for line, text in enumerate(path.read_bytes().split(b"\n"), 1):
        if text.strip():
            word = text.strip().decode("utf-8", "replace")
            if not word.isdecimal() or not 1 <= int(word) <= rows:
                raise located(str(path), line, f"found {word[:40]!r}", f"expected a row number from 1 to {rows}")
            numbers.append(int(word) - 1)
    if not numbers:
        raise located(str(path), None, "found no row numbers", "expected one a line")
    return np.array(numbers)


def _tidied(name: str, value: Any) -> Any:
    """A word in its one form: a drawn seed, fields in small letters, a share as float, (X, y) as tuple, 3-5 as text."""
    if name == "random_state":
        return seed_of(value)
    if name == "fields" and isinstance(value, (list, tuple)):
        return type(value)(checked(list(value)))
    if name == "validation":
        pair = isinstance(value, list) and len(value) == 2 and not isinstance(value[0], (str, os.PathLike, Mapping))
        held = tuple(value) if pair else value
        if isinstance(held, tuple) and len(held) != 2:
            raise SettingError("{validation.name} must be a share, data with labels, or (X, y)", validation=None)
        return float(held) if isinstance(held, np.floating) else held
    if name == "char_ngrams" and isinstance(value, (list, tuple, int)) and not isinstance(value, bool):
        return "-".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return value


def _equal(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    try:
        return np.shape(one) == np.shape(other) and bool(np.all(one == other))
    except (TypeError, ValueError):  # sparse rows, arrays of other shapes
        return False


def _plain(value: Any) -> Any:
    """As JSON can hold it. TypeError where it cannot."""
    if isinstance(value, Several):
        return value.as_data()
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(_plain, value))
    if value is None or isinstance(value, (str, int, float, Path, np.generic)):
        return str(value) if isinstance(value, Path) else value.item() if isinstance(value, np.generic) else value
    raise TypeError(type(value).__name__)


Recipe.__init__.__signature__ = signature_of(recipe_table(), by_place=0)  # type: ignore[attr-defined]
Recipe.__doc__ = (Recipe.__doc__ or "").replace("{parameters}", described(recipe_table()))
