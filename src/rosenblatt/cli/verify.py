"""`rosenblatt verify`: checks a certificate against the rows that it is about, without any solver."""

from collections.abc import Iterator
from typing import Any

from ..errors import DataError, Message, ModelError, SettingError, naming
from ..report.words import digits, dimensions, hyperplanes, listed, plural
from ..theory.proof.certificate_file import label_text, read_certificate
from .command import command
from .options import json_option, reading, reading_options
from .output import show
from .problem import Wanted, read
from .progress import Progress


@command(certificate="CERTIFICATE", data="DATA...")
@json_option
@reading_options
def verify(certificate: str, data: str, as_json: bool, **words: Any) -> None:
    """Check that CERTIFICATE proves its verdict about DATA.

    The file says how the rows are read: as they were when it was made. They must be the same, to the last bit. The
    proof is then checked in integers, without rounding and without a solver; one of the kind "enclosure" by bounds on
    every rounding error.

    Example:
        rosenblatt separable iris.csv --positive versicolor -o iris.proof
        rosenblatt verify iris.proof iris.csv
    """
    saved = read_certificate(certificate)
    try:
        wish = _wish(saved, reading(words))
        with Progress() as progress:
            rows = read(data, wish, progress).in_kernel()
    except SettingError as error:
        about = f"{data}: the rows are not those that the certificate is about: "
        why = error.message.template.replace("{positive}", "{positive.value}")  # no option of this command
        raise DataError(Message(why, **error.message.settings).within(about)) from None
    except (TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"{certificate}: damaged: its recipe for reading cannot be followed: {error}") from None
    with naming(rows.origin):
        proven = saved.verify(rows.problems[0])
    if not proven:
        raise ModelError(f"{certificate}: it does not prove its claim: {CLAIM[saved.certificate.kind]}")
    proof: Any = saved.certificate
    values = {"separable": saved.separable, "kind": proof.kind, "verified": True, "exact": proof.kind != "enclosure"}
    values["rows"] = None if saved.separable else len(proof.rows)
    values |= {name: getattr(saved, name) for name in ("n", "d", "fit_intercept", "classes", "kernel", "digest")}
    show(values, _text(saved, rows), as_json)


CLAIM = {
    "separator": "some row is not on its side of the hyperplane",
    "farkas": "the multipliers do not combine the rows to 0",
    "enclosure": "its bounds leave room for a multiplier below 0",
}


def _wish(saved: Any, given: dict[str, Any]) -> Any:
    """How to read the rows: by the certificate's recipe, but for what was given."""
    recipe = saved.recipe or {"reading": {}, "features": {"scale": "none"}, "only": None, "positive": None}
    wish = Wanted.of(recipe, saved.fit_intercept, saved.kernel)
    return wish._replace(recipe=wish.recipe.with_(**given, positive=saved.classes[1]))


def _seen_as(saved: Any) -> str:
    """What the certificate's recipe does to the file: a proof about some rows, or about other features, says so."""
    recipe = saved.recipe or {}
    features = {name: value for name, value in recipe.get("features", {}).items() if (name, value) != ("scale", "none")}
    only = recipe.get("only")
    parts = [] if saved.kernel is None else [f"in the space of {saved.kernel}"]
    parts += [] if only is None else [f"only rows of {', '.join(map(str, only))}"]
    parts += [f"{name.replace('_', ' ')} {value}" for name, value in features.items()]
    return f"; {'; '.join(parts)}" if parts else ""


def _text(saved: Any, rows: Any) -> Iterator[str]:
    proof = saved.certificate
    against, positive = map(label_text, saved.classes)
    sides = f"{positive} against {against}, {hyperplanes(saved.fit_intercept)}{_seen_as(saved)}"
    yield f"{rows.origin}: {dimensions(saved.n, saved.d)}; {sides}"
    if saved.separable:
        largest = max(abs(each) for each in (*proof.w, proof.b, proof.denominator))
        yield f"separable: every one of the {saved.n:,} rows is on its side of the hyperplane"
        yield _checked(largest)
        space = rows.problems[0].space
        if space is not None and not space.exact:
            yield "the kernel's values are rounded, and each row is on its side by more than that may have done"
        return
    count = plural(len(proof.rows), "row")
    if proof.kind == "enclosure":
        yield f"not separable: near the multipliers on {count} are exact ones that combine them to 0"
        yield f"checked in floating point with a bound on every rounding error; {len(proof.basis):,} rows take it up"
        return
    if len(proof.rows) == 1:
        yield "not separable: the row is all zeros, and every hyperplane through the origin goes through it"
    else:
        yield f"not separable: multipliers on {count} combine them to 0, none below 0"
    shown = listed(rows.problems[0].numbered(proof.rows).tolist(), 8, ", ...")
    yield f"the row{'s' * (len(proof.rows) > 1)}, counted from 1: {shown}"
    yield _checked(proof.denominator)


def _checked(largest: int) -> str:
    """Of exact proofs: how long their numbers are."""
    return (
        f"checked in whole numbers of up to {plural(digits(largest), 'digit')}, without rounding and without a solver"
    )
