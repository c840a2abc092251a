"""How a record is told and played is a report's affair: these names are found there, when they are first used."""

from ..lazy import lazily

_TRACE, _PAGE = "...report.trace", "...report.page"
PLACES = {"sentence": _TRACE, "sentences": _TRACE, "in_notebook": _PAGE, "page_of": _PAGE}

__getattr__, __dir__ = lazily(__name__, PLACES)
