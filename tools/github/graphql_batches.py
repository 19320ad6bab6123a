"""Batches of GraphQL questions over many keys, and their answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from agent.domain.base import RepoId
from agent.domain.errors import UpstreamError
from tools.github.client import GitHubClient
from tools.github.graphql_shapes import Answer, Names

K = TypeVar("K", str, int)
N = TypeVar("N")
_SMALLER_BATCHES = (10, 3, 1)


@dataclass
class Answers(Generic[K, N]):
    """The nodes that were answered, and the keys of the others."""

    names: Names
    found: dict[K, N] = field(default_factory=dict)
    unanswered: list[K] = field(default_factory=list)
    problem: str = "GitHub answered in part"  # Why some were not answered


def _no_variables(_: Sequence[K]) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Question(Generic[K, N]):
    """A query over many keys, the alias of each, and the shape of the answer."""

    query: Callable[[Sequence[K]], str]
    alias: Callable[[K], str]
    shape: type[Answer[N]]
    size: int
    variables: Callable[[Sequence[K]], Mapping[str, str]] = _no_variables
    """What goes with the query, beside the name of the repository."""


class Batches:
    """Asks about one repository; the stamp says whether stored answers hold, None stores none."""

    def __init__(self, client: GitHubClient, repo: RepoId, stamp: str | None) -> None:
        self._client = client
        self._repo = repo
        self._stamp = stamp

    async def ask(self, question: Question[K, N], keys: Sequence[K]) -> Answers[K, N]:
        """Ask about all keys; those without an answer are asked about again, fewer at a time.

        An outage is not met with ever more requests: the first small batch that fails as a whole
        ends the asking.
        """
        answers: Answers[K, N] = Answers(Names(self._repo, self._repo), unanswered=list(keys))
        for size in (question.size, *_SMALLER_BATCHES):
            failure = await self._ask_unanswered(question, size, answers)
            if not answers.unanswered:
                break
            if failure is not None:
                answers.problem = str(failure)
                if size in _SMALLER_BATCHES or not failure.retryable:
                    break
        return answers

    async def _ask_unanswered(
        self, question: Question[K, N], size: int, answers: Answers[K, N]
    ) -> UpstreamError | None:
        """Ask in batches; return the error of the first that fails as a whole, and stop there."""
        keys = answers.unanswered
        unanswered: list[K] = []
        for start in range(0, len(keys), size):
            try:
                unanswered += await self._ask_batch(question, keys[start : start + size], answers)
            except UpstreamError as error:
                answers.unanswered = unanswered + keys[start:]
                return error
        answers.unanswered = unanswered
        return None

    async def _ask_batch(
        self, question: Question[K, N], keys: list[K], answers: Answers[K, N]
    ) -> list[K]:
        """Ask once, keep what came, also beside errors, and return the keys without an answer."""
        owner, _, name = self._repo.partition("/")
        variables = {"owner": owner, "name": name, **question.variables(keys)}
        answer = await self._client.graphql(
            question.query(keys), variables, question.shape, stamp=self._stamp
        )
        repository = answer.data.repository if answer.data else None
        if repository is None:
            return keys
        answers.names = Names(self._repo, repository.full_name)
        failed_aliases = answer.unanswered
        unanswered: list[K] = []
        for key in keys:
            alias = question.alias(key)
            node = repository.node(alias)
            # An error below an alias leaves a node with holes, which does not mean "nothing there".
            if alias in failed_aliases or (node is None and "*" in failed_aliases):
                unanswered.append(key)
            elif node is not None:
                answers.found[key] = node
        return unanswered
