"""The table of severities: what each kind of fact means for those who reach what it is about.

The other modules of this package say who reaches it, and where a difference means less.
"""

from collections.abc import Mapping

from agent.domain.facts import FactKind, Severity

_KINDS: Mapping[Severity, tuple[FactKind, ...]] = {
    # What worked before fails.
    Severity.BREAKING: (
        "symbol-removed",
        "symbol-renamed",
        "symbol-moved",
        "parameter-removed",
        "parameter-renamed",
        "parameter-reordered",
        "parameter-required",
        "parameter-keyword-only",
        "enum-member-removed",
        "enum-member-renamed",
        "enum-member-changed",
        "field-removed",
        "field-renamed",
        "flag-removed",
        "flag-renamed",
        "env-removed",
        "env-renamed",
        "config-key-removed",
        "route-removed",
        "metric-removed",
        "metric-renamed",
        "hook-added",
        "unregistered",
    ),
    # Whether anybody installs it by this name, or runs it, is not in sight.
    Severity.MAY_BREAK: ("package-renamed", "contents-removed"),
    # It still works, but does something else.
    Severity.BEHAVIOUR: (
        "parameter-default-changed",
        "field-default-changed",
        "flag-default-changed",
        "flag-choices-changed",
        "env-default-changed",
        "config-key-changed",
        "choices-changed",
        "constant-changed",
        "registration-changed",
        "error-added",
        "error-removed",
        "limit-changed",
        "deprecated",
        "dependency-added",
        "dependency-removed",
        "dependency-changed",
        "version-changed",
        "image-changed",
        "code-changed",
        "revert",
        "reland",
        "partial-revert",
        "partial-reland",
        "cherry-pick",
        # Only reports of earlier versions have these.
        "signature-changed",
        "base-changed",
        "field-changed",
        "error-changed",
    ),
    # Something new that nobody has to use.
    Severity.ADDITIVE: (
        "symbol-added",
        "parameter-added",
        "enum-member-added",
        "field-added",
        "flag-added",
        "env-added",
        "config-key-added",
        "route-added",
        "metric-added",
        "registered",
        "contents-added",
        "file-added",
    ),
    # Users do not see it.
    Severity.INTERNAL: (
        "file-removed",
        "file-renamed",
        "only-tests",
        "only-docs",
        "only-ci",
        "only-upkeep",
        "only-formatting",
        "only-comments",
        "generated",
        "vendored",
    ),
}
_SEVERITIES: dict[FactKind, Severity] = {}
for _severity, _kinds in _KINDS.items():
    _SEVERITIES.update(dict.fromkeys(_kinds, _severity))


def severity_of(kind: FactKind) -> Severity:
    """Return what a fact means for those who reach what it is about."""
    return _SEVERITIES[kind]
