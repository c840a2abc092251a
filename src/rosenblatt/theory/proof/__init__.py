"""Proofs and their checks: exact numbers, certificates, and how they are kept in files."""
