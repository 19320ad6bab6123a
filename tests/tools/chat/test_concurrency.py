"""How many questions may be under way at once, by how a server answers."""

import asyncio

from tools.chat.concurrency import Concurrency, Turn

TOKENS = 4_000  # Of a question, which take as long as 500 of an answer
ANSWER = 500


class Server:
    """Answers questions by a clock of its own, all of them at once or one after the other."""

    def __init__(self, concurrency: Concurrency, seconds: float, *, slots: int) -> None:
        self.concurrency = concurrency
        self.most_under_way = 0
        self.under_way = 0
        self._seconds = seconds
        self._slots = asyncio.Semaphore(slots)

    async def ask(self, tokens: int = TOKENS) -> None:
        async with self.concurrency.turn(tokens) as turn:
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            began = asyncio.get_running_loop().time()
            async with self._slots:
                await asyncio.sleep(self._seconds)
            seconds = asyncio.get_running_loop().time() - began
            self.concurrency.answered(turn, tokens, ANSWER, seconds)
            self.under_way -= 1

    async def ask_many(self, count: int) -> int:
        """Ask many questions, and return how many were under way at once."""
        self.most_under_way = 0
        await asyncio.gather(*(self.ask() for _ in range(count)))
        return self.most_under_way


async def test_the_first_question_is_asked_alone_then_as_many_as_one_slot_answers_in_time() -> None:
    concurrency = Concurrency(patience=0.5)
    server = Server(concurrency, 0.05, slots=1)
    first = asyncio.create_task(server.ask())
    rest = [asyncio.create_task(server.ask()) for _ in range(20)]
    await asyncio.sleep(0.02)
    assert server.under_way == 1
    await asyncio.gather(first, *rest)
    # Eight of them take 0.4 s, which is what may be risked of 0.5 s.
    assert 2 <= server.most_under_way <= 9


async def test_a_slow_server_with_one_slot_is_never_asked_twice_at_once() -> None:
    concurrency = Concurrency(patience=0.1)
    server = Server(concurrency, 0.06, slots=1)
    assert await server.ask_many(6) == 1
    assert concurrency.at_once == 1


async def test_a_server_that_answers_many_as_fast_as_one_is_asked_more_and_more() -> None:
    concurrency = Concurrency(patience=1.0)
    server = Server(concurrency, 0.2, slots=100)
    # One after the other, four of them would be answered in time.
    assert await server.ask_many(60) >= 12
    assert (concurrency.at_once or 0) >= 8


async def test_after_a_question_that_was_not_answered_in_time_one_is_asked_at_a_time() -> None:
    concurrency = Concurrency(patience=100)
    server = Server(concurrency, 0.01, slots=100)
    await server.ask_many(20)
    async with concurrency.turn(TOKENS) as turn:
        concurrency.timed_out(turn)
    assert concurrency.limit == 1
    assert concurrency.at_once == 1


async def test_a_server_that_refuses_or_slows_down_is_asked_less_at_once() -> None:
    concurrency = Concurrency(patience=100)
    concurrency.answered(Turn(work=1), TOKENS, ANSWER, seconds=1)
    limit = concurrency.limit
    concurrency.answered(Turn(work=1, company=4), TOKENS, ANSWER, seconds=10)
    assert concurrency.limit == limit - 1
    concurrency.refused()
    assert concurrency.limit == (limit - 1) // 2


async def test_short_questions_say_nothing_about_the_pace() -> None:
    concurrency = Concurrency(patience=100)
    concurrency.answered(Turn(work=1), sent=100, received=10, seconds=0.01)
    server = Server(concurrency, 0.02, slots=1)
    begun = [asyncio.create_task(server.ask()) for _ in range(3)]
    await asyncio.sleep(0.01)
    assert server.under_way == 1
    await asyncio.gather(*begun)


async def test_questions_wait_for_a_turn_in_their_order_and_may_give_up() -> None:
    concurrency = Concurrency(patience=1)
    done: list[str] = []
    release = asyncio.Event()

    async def question(name: str) -> None:
        async with concurrency.turn(TOKENS):
            await release.wait()
            done.append(name)

    tasks = [asyncio.create_task(question(name)) for name in "abc"]
    await asyncio.sleep(0)
    tasks[1].cancel()
    release.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert done == ["a", "c"]
    async with concurrency.turn(TOKENS):
        assert True


async def test_a_question_that_begins_like_one_before_it_goes_ahead_of_those_that_begin_anew() -> (
    None
):
    concurrency = Concurrency(patience=0.01)
    asked_questions: list[str] = []

    async def ask_twice(packet: str) -> None:
        for question in ("write", "judge"):
            async with concurrency.turn(TOKENS, packet) as turn:
                asked_questions.append(f"{question} {packet}")
                await asyncio.sleep(0.01)
                concurrency.answered(turn, TOKENS, ANSWER, 0.01)

    await asyncio.gather(*(ask_twice(packet) for packet in ("a", "b", "c", "d")))
    for packet in ("a", "b", "c", "d"):
        distance = asked_questions.index(f"judge {packet}") - asked_questions.index(
            f"write {packet}"
        )
        assert distance <= 2
