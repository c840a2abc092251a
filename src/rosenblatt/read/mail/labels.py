"""Labels of mails by one of their headers, as mail programs write them: `X-Gmail-Labels: Inbox,Important`."""

from collections import Counter
from collections.abc import Sequence

from ...errors import DataError, SettingError, located, short
from ...mailtext.headers import PRESENT, listed

REST = "*"
LISTED = 12
"""Values that an error names."""
EXAMPLE = "spam=Spam,ham=Inbox"


class HeaderLabels:
    """Which class a mail is of, by the values of a header.

    header: its name. rules: `class=value`, capitals or not; a value alone belongs to the class before it; `class=*`
    takes the mails that have the header and meet no other rule. A mail that meets no rule, or rules of two classes, has
    no label. values: how many mails had each. Raises SettingError for rules that contradict each other.
    """

    def __init__(self, header: str, rules: Sequence[str]) -> None:
        self.header, self.values, self.why = header, Counter[str](), ""
        self._classes: dict[str, str] = {}
        label = ""
        for rule in map(str, rules):
            own, equals, value = rule.partition("=")
            label, value = (own.strip(), value) if equals else (label, rule)
            value = value.strip().casefold()
            if not label or not value or self._classes.get(value, label) != label:
                why = "is of two classes" if label and value else "is not of the form CLASS=VALUE"
                raise SettingError(f"{{label_rules:s}} {why}", label_rules=rule)
            self._classes[value] = label

    def check(self, fields: Sequence[str]) -> None:
        """SettingError where the header is looked at as a field: a mail would be known by its label."""
        name = self.header.lower()
        by = {name, *(["headers"] if name in PRESENT else []), *(["sender"] if name == "from" else [])}
        if read := sorted(by & set(fields)):
            text = (
                f"{{label_header:s}} says the labels, and the field {read[0]} would tell them; {{fields.name}} without"
            )
            raise SettingError(text, label_header=self.header, fields=None)

    def label(self, raw: bytes) -> str | None:
        """The label of a mail; None: `why` says why."""
        values = listed(raw, self.header)
        self.values.update(dict.fromkeys(values, 1))
        met = {self._classes[name] for name in map(str.casefold, values) if name in self._classes}
        if not met and values and REST in self._classes:
            return self._classes[REST]
        self.why = f"mails whose {self.header} meets {'rules of two classes' if met else 'no rule'}, skipped"
        return met.pop() if len(met) == 1 else None

    def idle(self) -> list[str]:
        """Notes of the rules that no mail has met."""
        there = {value.casefold() for value in self.values} | {REST}
        rules = [value for value in self._classes if value not in there]
        return [f"no mail has {value!r} in {self.header}, which is {self._classes[value]} by a rule" for value in rules]

    def wrong(self, origin: str, found: str) -> DataError:
        """What the header says instead, the most frequent values first."""
        most = [f"{short(value, 30)} ({count:,})" for value, count in self.values.most_common(LISTED)]
        more = f" and {len(self.values) - LISTED} more" if len(self.values) > LISTED else ""
        values = f"its values: {', '.join(most)}{more}" if most else "no mail has that header"
        wanted = "expected which value is which class, as {label_rules}"
        return located(origin, None, f"{found}; {values}", wanted, label_rules=EXAMPLE)
