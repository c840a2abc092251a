"""How data become rows of numbers and classes: enough to read other data as a model's own, before there is a model."""

from dataclasses import dataclass, field
from typing import Any

from ..core.rows import Array, Rows
from ..data.batch import Batch
from ..data.labels import class_numbers
from ..errors import DataError


@dataclass(kw_only=True, eq=False)
class Representation:
    """classes: (k,) labels; with two, the second is the positive one. features: the fitted `Features` (dictionary,
    scaling), or None for numbers as they are. reading: the choices with which data files are read; {} for arrays.
    names: the columns' as they are read, or None."""

    classes: Array
    features: Any = None
    reading: dict[str, Any] = field(default_factory=dict)
    names: list[str] | None = None

    @property
    def width(self) -> int:
        """How many features there are."""
        return int(self.features.width)

    @property
    def part(self) -> str:
        """What one of them is called: the columns of a kernel's space are rows that were learned from."""
        return "feature" if self.features is None or self.features.kernel is None else "support vector"

    @property
    def reads_texts(self) -> bool:
        """Whether data are texts or mails, of whose words the features are made."""
        return self.features is not None and self.features.dictionary is not None

    @property
    def given_width(self) -> int:
        """How many columns rows have as they are read."""
        return self.width if self.features is None else int(self.features.columns)

    def rows(self, batch: Batch) -> Rows:
        """A batch as rows in these features."""
        if self.features is not None:
            return self.features.transform(batch)  # type: ignore[no-any-return]
        if isinstance(batch.rows, list):
            raise DataError("the data are text, but the model was trained on numbers")
        return batch.rows

    def labels_of(self, batch: Batch, origin: str = "the data", first: int = 1) -> Array:
        """A batch's labels (n,) as the classes. DataError where there are none, or one is not a class."""
        if batch.y is None:
            raise DataError(f"{origin}: there are no labels; labelled rows are needed here")
        numbers = first if batch.numbers is None else batch.numbers
        try:
            return self.classes[class_numbers(batch.y, self.classes, numbers)]  # type: ignore[no-any-return]
        except DataError as error:
            raise error.within(f"{origin}, ") from None

    @property
    def feature_names(self) -> Any:
        """What the features are called in messages: by column, or None."""
        if self.features is not None and (self.features.quadratic or self.features.map):
            from .evidence import Names

            return Names(self, kernel=False)
        return (None if self.features is None else self.features.names) or self.names
