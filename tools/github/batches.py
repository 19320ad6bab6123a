"""Asking GraphQL about many things at once, and in smaller batches about those that got no answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from agent.domain.base import RepoId, UpstreamError
from tools.github.http.client import GitHubClient
from tools.github.nodes import Answer, Names

K = TypeVar("K", str, int)
N = TypeVar("N")

_SMALLER = (10, 3, 1)


@dataclass
class Answers(Generic[K, N]):
    """What was answered, and what was not."""

    names: Names
    found: dict[K, N] = field(default_factory=dict)
    unanswered: list[K] = field(default_factory=list)
    problem: str = "GitHub answered in part"
    """Why they were not answered."""


@dataclass(frozen=True)
class Question(Generic[K, N]):
    """A query over many keys, the alias of each, and the shape of the answer."""

    query: Callable[[Sequence[K]], str]
    alias: Callable[[K], str]
    shape: type[Answer[N]]
    size: int
    variables: Callable[[Sequence[K]], Mapping[str, str]] = lambda _: {}
    """What goes with the query, beside the name of the repository."""


class Batches:
    """Asks about one repository; the stamp says when stored answers still hold, None that none are stored."""

    def __init__(self, client: GitHubClient, repo: RepoId, stamp: str | None) -> None:
        self._client, self._repo, self._stamp = client, repo, stamp

    async def ask(self, question: Question[K, N], keys: Sequence[K]) -> Answers[K, N]:
        """Ask about all keys; those without an answer are asked about again, fewer at a time.

        An outage is not met with ever more requests: the first small batch that fails as a whole ends the asking.
        """
        answers: Answers[K, N] = Answers(Names(self._repo, self._repo), unanswered=list(keys))
        for size in (question.size, *_SMALLER):
            failure = await self._round(question, size, answers)
            if failure is not None:
                answers.problem = str(failure)
            if not answers.unanswered or (failure is not None and (size in _SMALLER or not failure.retryable)):
                break
        return answers

    async def _round(self, question: Question[K, N], size: int, answers: Answers[K, N]) -> UpstreamError | None:
        """Ask about what is unanswered; when a batch fails as a whole, the rest is not asked and the error returned."""
        keys, failed = answers.unanswered, list[K]()
        for start in range(0, len(keys), size):
            try:
                failed += await self._batch(question, keys[start : start + size], answers)
            except UpstreamError as error:
                answers.unanswered = failed + keys[start:]
                return error
        answers.unanswered = failed
        return None

    async def _batch(self, question: Question[K, N], keys: list[K], answers: Answers[K, N]) -> list[K]:
        """Ask once; what came is kept, also beside errors. Returns the keys that got no answer."""
        owner, _, name = self._repo.partition("/")
        variables = {"owner": owner, "name": name, **question.variables(keys)}
        answer = await self._client.graphql(question.query(keys), variables, question.shape, stamp=self._stamp)
        repository = answer.data.repository if answer.data else None
        if repository is None:
            return keys
        answers.names = Names(self._repo, repository.full_name)
        missing, failed = answer.unanswered, []
        for key in keys:
            node = repository.node(question.alias(key))
            # An error below an alias leaves a node with holes, which must not be taken for "nothing there".
            if question.alias(key) in missing or (node is None and "*" in missing):
                failed.append(key)
            elif node is not None:
                answers.found[key] = node
        return failed
