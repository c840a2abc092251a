"""The representation of a model, fitted once, then repeated exactly.

texts      → words and runs of them → numbers (→ one column for known senders) → scaled
numbers    → scaled (→ and their products)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import Batch, Source, joined
from ..errors import DataError, ModelError, SettingError, plural
from ..parameters import defaults
from . import ngrams, scaling
from .hashing import Hashing
from .kernel import InKernel
from .maps import Map, map_from
from .parameters import DEGREE, DICTIONARY, FEATURES, MAP
from .quadratic import Quadratic
from .senders import NAME, Senders, read_senders
from .spectrum import Spectrum
from .step import Step, fitted_chain
from .vocabulary import Vocabulary
from .word_file import HASHED, LEARNED, read_words

Dictionary = Vocabulary | Hashing
parameters = (DICTIONARY, MAP)
_DEFAULTS = defaults(FEATURES)
SCALE = {"documents": "idf+unit:2", "rows": "none"}
"""The scaling where none is asked for. `AveragedPerceptron(max_iter=10)`, 5-fold stratified, mean of seeds 0, 1, 2;
across: trained on the first, tested on the second, mean of seeds 0 to 3. Word present, min_documents 2, unless said.
Fields of the mails: subject, html, attachment, charset, missing (`mailtext.fields.FIELDS` has figures of others).

                                   spamassassin_dev  csdmc2010_dev  across
    none                                .9917            .9877       .937
    unit                                .9911            .9842       .954
    unit:2                              .9912            .9876       .945
    idf                                 .9924            .9837       .940
    idf+unit                            .9910            .9887       .966
    idf+unit:2                          .9937            .9904       .949
    idf+unit:4                          .9938            .9890       .943
    standard                            .9834            .9753       .916
    standard+unit:2                     .9918            .9860       .953
    idf+unit:2, count or share          .9909            .9870       .960    (unit length makes these two the same)
    none, count; none, share         .9682 .9449      .9610 .9334   .944 .930
    idf+unit:2, min_documents 1; 3   .9928 .9930      .9886 .9909   .947 .955
    idf+unit:2, hashed to 2^18          .9935            .9883       .954
"""


class Options(NamedTuple):
    """How documents become rows, and how rows are scaled.

    dictionary: "words" (learned), "hashed", or a file of words (see `word_file`). values: "present", "count" or
    "share". min_documents, max_size: of the learned dictionary. bits, signed: of hashing. word_ngrams: runs of 1 … N
    words. char_ngrams: "A-B", runs of so many characters within words, or None (see `ngrams`). known_senders: a file of
    addresses (see `senders`), or None. precision: "float64" or "float32", of rows made from documents.
    scale: see `scaling`; None is `SCALE` of the kind of data. degree: 2 adds the products of the columns, as they are
    after scaling; products: "all", "squares" or "pairs" of them (see `quadratic`). map: see `maps`, drawn by the
    seed. kernel: see `kernels`, or None. Rows have no use for the options before scale, and documents none for degree
    and products.

    Products after scaling, before it, or between two: `AveragedPerceptron(max_iter=30)`, scale standard, 5-fold, on
    nine sets of numbers (heart, german, breast cancer, ionosphere, sonar, pima, vowel, iris, spambase), in the mean
    .855, .858, .858; vowel .903, .836, .905, spambase .919, .933, .923. After, because then one scaling does it all,
    and large numbers are small before they are multiplied; standard+unit (mean .858) keeps the products small too.
    """

    dictionary: str = _DEFAULTS["dictionary"]
    values: str = _DEFAULTS["values"]
    min_documents: int = _DEFAULTS["min_documents"]
    max_size: int | None = _DEFAULTS["max_size"]
    bits: int = _DEFAULTS["bits"]
    signed: bool = _DEFAULTS["signed"]
    scale: str | None = None
    precision: str = _DEFAULTS["precision"]
    word_ngrams: int = _DEFAULTS["word_ngrams"]
    char_ngrams: str | None = _DEFAULTS["char_ngrams"]
    known_senders: str | None = _DEFAULTS["known_senders"]
    degree: int = _DEFAULTS["degree"]
    products: str = _DEFAULTS["products"]
    map: str | None = _DEFAULTS["map"]
    kernel: Any = None
    seed: int = 0

    def check(self, kind: str) -> None:
        """Raises SettingError for options that there are not, and for products of words."""
        scaling.parse(self.scale or "")
        grams = ngrams.parse(self.word_ngrams, self.char_ngrams)
        if self.dictionary not in (LEARNED, HASHED):
            read_words(self.dictionary, grams)
        if self.known_senders is not None:
            read_senders(self.known_senders)
        for name in OF_WORDS if self.runs is not None else ():
            if getattr(self, name) != _DEFAULTS[name]:
                text = f"{{{name}.name}} is of words, and {{kernel}} knows texts by runs of characters; leave it out"
                raise SettingError(text, kernel=self.kernel.name, **{name: getattr(self, name)})
        if getattr(self.kernel, "pairwise", False):
            plain = {"scale": (None, "none"), "degree": (1,), "map": (None,)}
            for name in (name for name, usual in plain.items() if getattr(self, name) not in usual):
                text = f"{{{name}:s}} is of features, and the columns of {{kernel:s}} are values of K; leave it out"
                raise SettingError(text, kernel=self.kernel.name, **{name: getattr(self, name)})
        DEGREE.check(self.degree)
        if self.map is not None:
            map_from(self.map)
        if self.degree == 2 and kind == "documents":
            text = "{degree} is for numbers, and the data are texts; {word_ngrams} joins their words"
            raise SettingError(text, degree=2, word_ngrams=2)

    @property
    def runs(self) -> int | None:
        """How many characters a run has by which a kernel knows texts; None: it knows them by their words."""
        return getattr(self.kernel, "length", None)

    def of_documents(self) -> list[Step]:
        """The steps that documents go through, not fitted yet: a dictionary, and known senders."""
        if self.runs is not None:
            return [Spectrum(self.runs, self.precision), Senders(path=self.known_senders)]
        grams = ngrams.parse(self.word_ngrams, self.char_ngrams)
        dictionary: Step = Hashing(self.bits, self.signed, self.values, self.precision, grams)
        if self.dictionary != HASHED:
            names = None if self.dictionary == LEARNED else read_words(self.dictionary, grams)
            dictionary = Vocabulary(names, self.values, self.precision, grams, self.min_documents, self.max_size)
        return [dictionary, Senders(path=self.known_senders)]

    def of_rows(self, kind: str) -> list[Step]:
        """The steps that rows go through, of numbers or made from documents."""
        products = [Quadratic(products=self.products)] if self.degree == 2 else []
        maps = [] if self.map is None else [map_from(self.map, self.seed)]
        kernel = [] if self.kernel is None else [InKernel(self.kernel)]
        usual = SCALE[kind] if self.runs is None else "none"
        return [*scaling.parse(usual if self.scale is None else self.scale), *products, *maps, *kernel]


OF_WORDS = ("dictionary", "values", "min_documents", "max_size", "bits", "signed", "word_ngrams", "char_ngrams")
"""Options that a kernel of runs of characters has no use for."""
DEFAULT = Options()


class Features:
    """A fitted representation.

    columns: of rows before the steps. steps: in order. dictionary, senders: None for rows.
    """

    def __init__(
        self, columns: int, steps: list[Step], dictionary: Dictionary | None = None, senders: Senders | None = None
    ) -> None:
        self.columns, self.steps, self.dictionary, self.senders = columns, steps, dictionary, senders

    @classmethod
    def fit(
        cls, source: Source, options: Options = DEFAULT, kept: Callable[[Array], Array] | None = None
    ) -> tuple[Features, Rows, Array | None, list[str] | None]:
        """(features, scaled rows, labels, ids) of all data of the source, which is read once.

        kept: from the labels to the numbers of the rows that the features are learned from; None: from all. Labels and
        ids are None where the source has none. Raises SettingError for unknown options, DataError where
        there are no data, or their products are too many.
        """
        options.check(source.kind)
        texts = source.kind == "documents"
        first = options.of_documents() if texts else [Step()]
        batches: list[Any] = [batch._replace(rows=[step.prepared(batch.rows) for step in first]) for batch in source]
        parts = [[batch.rows[place] for batch in batches] for place in range(len(first))]
        if not batches:
            raise DataError("the data have no rows; at least one is needed to learn from")
        _, y, ids, _ = joined(batches)
        pairwise = getattr(options.kernel, "pairwise", False)  # whose columns are all rows; it learns nothing of them
        numbers = None if kept is None or y is None or pairwise else kept(y)
        whole = [step.stacked(own) for step, own in zip(first, parts, strict=True)]
        if numbers is not None:
            parts = [[step.taken(own, numbers)] for step, own in zip(first, whole, strict=True)]
        fitted: list[Any] = [step.fitted(own) for step, own in zip(first, parts, strict=True)]
        rows = _side_by_side(fitted, whole)
        width = rows.width
        steps, own = fitted_chain(options.of_rows(source.kind), rows if numbers is None else rows.take(numbers))
        rows = own if numbers is None else reduce(lambda rows, step: step.learned(rows, others=True), steps, rows)
        return cls(width, steps, *fitted[: 2 * texts]), rows, y, ids  # type: ignore[return-value]

    def transform(self, batch: Batch) -> Rows:
        """The batch's rows (n, d), by exactly the steps of training.

        Sparse rows of fewer columns are widened. Raises DataError for more columns than in training, for another
        number of dense columns, and for text where the model has numbers (or the reverse).
        """
        rows: Rows
        if isinstance(batch.rows, list):
            if self.dictionary is None:
                raise DataError("found text; the model was trained on rows of numbers")
            rows = _side_by_side([self.dictionary, self.senders], [batch.rows, batch.rows])
        elif self.dictionary is not None:
            raise DataError("found rows of numbers; the model was trained on text")
        else:
            rows = self._fitted(batch.rows)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite then is refused by name
            return reduce(lambda rows, step: step.transform(rows), self.steps, rows)

    def _fitted(self, rows: Rows) -> Rows:
        if rows.width == self.columns:
            return rows
        if rows.width > self.columns or not rows.growing:
            raise DataError(f"found {plural(rows.width, 'column')}; the model was trained on {self.columns}")
        return rows.widened(self.columns)

    @property
    def quadratic(self) -> Quadratic | None:
        """The step that adds products, if there is one; only a map and a kernel come after it."""
        return next((step for step in self.steps if isinstance(step, Quadratic)), None)

    @property
    def map(self) -> Map | None:
        """The step that puts others in the place of all columns, if there is one; only a kernel comes after it."""
        return next((step for step in self.steps if isinstance(step, Map)), None)

    @property
    def kernel(self) -> InKernel | None:
        """The step into a kernel's space, if there is one; it is the last."""
        last = self.steps[-1] if self.steps else None
        return last if isinstance(last, InKernel) else None

    @property
    def width(self) -> int:
        """The features after all steps, d; of a kernel the rows that weights belong to."""
        widening = [step.width for step in (self.quadratic, self.map, self.kernel) if step is not None]
        return widening[-1] if widening else self.columns

    @property
    def names(self) -> list[str] | None:
        """The words by column; None for rows and for hashed words (see `Hashing.names_in`)."""
        names = None if self.dictionary is None else self.dictionary.names
        return names if names is None or self.senders is None else [*names, NAME]

    def recipe(self) -> dict[str, Any]:
        """What JSON can hold of it; `tensors` is the rest."""
        return {
            "width": self.columns,
            "dictionary": None if self.dictionary is None else self.dictionary.recipe(),
            "senders": None if self.senders is None else len(self.senders.known),
            "scale": [step.recipe() for step in self.steps],
        }

    def tensors(self) -> dict[str, Array]:
        """{"dictionary": uint8 names, a line each; "senders": the same; "scale.0.mean": (d,) float64 …}."""
        first = [("", step) for step in (self.dictionary, self.senders) if step is not None]
        named = [*first, *((f"scale.{place}.", step) for place, step in enumerate(self.steps))]
        return {prefix + name: values for prefix, step in named for name, values in step.tensors().items()}

    @classmethod
    def restore(cls, recipe: dict[str, Any], tensors: dict[str, Array]) -> Features:
        """The inverse of `recipe` and `tensors`. Raises ModelError where they are damaged or from a newer version."""
        try:
            size, stored = int(recipe["width"]), recipe["dictionary"]
            dictionary: Dictionary | None = None
            if stored is not None:
                kinds: dict[str, Any] = {"words": Vocabulary, "hashed": Hashing, "spectrum": Spectrum}
                dictionary = kinds[stored["kind"]].restore(stored, tensors)
            senders = None if recipe.get("senders") is None else Senders.restore(tensors)
            if senders is not None and len(senders.known) != recipe["senders"]:
                raise ModelError(f"the model's list has {len(senders.known)} senders; its header says otherwise")
            width = size if dictionary is None else dictionary.width + (senders is not None)
            if width != size:
                raise ModelError(f"the model's dictionary has {width} columns; its header says {size}")
            steps, before = list[Step](), size
            for place, step in enumerate(recipe["scale"]):
                prefix = f"scale.{place}."
                own = {name.removeprefix(prefix): tensors[name] for name in tensors if name.startswith(prefix)}
                steps.append(scaling.restore(step, own, before))
                before = getattr(steps[-1], "width", before)
            return cls(size, steps, dictionary, senders)
        except ModelError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise ModelError(f"the model's features cannot be read ({error!r}); the file is damaged") from None


def _side_by_side(steps: Sequence[Step | None], parts: Sequence[Any]) -> Rows:
    """The rows that the first step makes of its part of a batch, and a column more for each other step."""
    made = [step.transform(part) for step, part in zip(steps, parts, strict=True) if step is not None]
    return reduce(lambda rows, column: rows.with_column(column), made)
