"""What the theorems allow a run, beside what it did."""

from ...lazy import lazily

__getattr__, __dir__ = lazily(__name__, {"in_sentences": "...report.ledger"})  # how a ledger reads is a report's affair
