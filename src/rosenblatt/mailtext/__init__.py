"""Bytes of a mail → fields → tokens. Plain Python: a single mail is judged in milliseconds."""
