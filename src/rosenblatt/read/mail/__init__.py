"""Mails: a source of documents, and the stores they lie in."""

from .source import MailSource

__all__ = ["MailSource"]
