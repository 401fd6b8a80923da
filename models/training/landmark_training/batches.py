"""Which pairs stand together in a batch, and how each is laid out."""

import random
from dataclasses import dataclass

import numpy as np

from .layout import layout_window
from .pairs import Pair, by_repository
from .query_forms import drop_ids, question_of
from .tokens import TextTokenizer

# The program reads at 64.
GRANULARITIES = (32, 32, 64, 64, 64, 64, 128, 256)
KIND_SHARES = {"commit": 0.5, "doc": 0.25, "inline": 0.2, "name": 0.05}
NEIGHBOURS = 8
LONGEST_QUERY = 60


@dataclass(frozen=True)
class Window:
    """A laid-out window; `answer` is the place among its landmarks of the one that answers, `near` of all that do."""

    ids: np.ndarray
    landmarks: np.ndarray
    answer: int | None
    near: tuple[int, ...]


@dataclass(frozen=True)
class Example:
    """A pair as it goes into the model: query, path words, and one window of the file or several."""

    pair: Pair
    query_ids: np.ndarray
    path_ids: np.ndarray
    windows: tuple[Window, ...]


@dataclass(frozen=True)
class Cut:
    """A stretch of a pair's tokens and its granularity; `answer` is the token range that it was chosen for."""

    start: int
    length: int
    k: int
    answer: tuple[int, int] | None


@dataclass(frozen=True)
class Choice:
    """What was drawn of a pair, before it is laid out: token ids of the query, and stretches of the file."""

    pair: Pair
    query: list[int]
    cuts: tuple[Cut, ...]


class BatchSource:
    """Batches by step number: the same step gives the same batch, so a resumed run goes on as it was."""

    def __init__(
        self,
        pairs: list[Pair],
        tokenizer: TextTokenizer,
        word_vectors: np.ndarray,
        seed: int,
        granularities: tuple[int, ...] = GRANULARITIES,
        negatives: dict[str, np.ndarray] | None = None,
        mixed: float = 0.25,
        second_window: float = 0.2,
    ):
        """Shares: `mixed` of batches of several repositories, `second_window` of long files with two windows."""
        self._tokenizer = tokenizer
        self._granularities = granularities
        self._seed = seed
        self._by_repository = by_repository(pairs)
        self._negatives = negatives or {}
        self._mixed = mixed
        self._second_window = second_window
        self._repositories = sorted(name for name, own in self._by_repository.items() if len(own) >= 100)
        self._query_vectors = self._embed_queries(word_vectors)

    def batch(self, step: int, size: int, longest: int) -> list[Example]:
        """The choices of this step, laid out for landmarks."""
        return [self._example(choice) for choice in self.choices(step, size, longest)]

    def choices(self, step: int, size: int, longest: int) -> list[Choice]:
        """All but the mixed batches are of one repository; half of these are of near misses.

        Near misses are those that were mined (see `negatives.py`) or, where none were, queries that are alike.
        """
        chance = random.Random(self._seed * 1_000_003 + step)
        roll = chance.random()
        if roll < self._mixed:
            pairs = [self._draw(chance.choice(self._repositories), chance) for _ in range(size)]
        else:
            name = chance.choices(self._repositories, [len(self._by_repository[n]) ** 0.5 for n in self._repositories])[
                0
            ]
            near = self._mined if name in self._negatives else self._alike
            if roll < (1 + self._mixed) / 2:
                pairs = near(name, size, chance)
            else:
                pairs = [self._draw(name, chance) for _ in range(size)]
        return [self._choose(pair, longest, chance) for pair in pairs]

    def _draw(self, name: str, chance: random.Random) -> Pair:
        own = self._by_repository[name]
        kind = chance.choices(list(KIND_SHARES), list(KIND_SHARES.values()))[0]
        for _ in range(8):
            pair = chance.choice(own)
            if pair.kind == kind:
                return pair
        return pair

    def _alike(self, name: str, size: int, chance: random.Random) -> list[Pair]:
        own, vectors = self._by_repository[name], self._query_vectors[name]
        chosen: dict[int, None] = {}
        for _ in range(4 * size):
            seed = own.index(self._draw(name, chance))
            nearest = np.argsort(-(vectors @ vectors[seed]), kind="stable")
            groups = set()
            for at in nearest[:100].tolist():
                if own[at].group in groups or own[at].kind == "name":
                    continue
                groups.add(own[at].group)
                chosen[at] = None
                if len(groups) == NEIGHBOURS:
                    break
            if len(chosen) >= size:
                break
        return [own[at] for at in list(chosen)[:size]]

    def _mined(self, name: str, size: int, chance: random.Random) -> list[Pair]:
        """Pairs with their near misses, until the batch is full or, in a small repository, nothing new comes."""
        own, negatives = self._by_repository[name], self._negatives[name]
        chosen: dict[int, None] = {}
        for _ in range(4 * size):
            seed = own.index(self._draw(name, chance))
            chosen.update(dict.fromkeys([seed, *negatives[seed][negatives[seed] >= 0].tolist()]))
            if len(chosen) >= size:
                break
        return [own[at] for at in list(chosen)[:size]]

    def _embed_queries(self, word_vectors: np.ndarray) -> dict[str, np.ndarray]:
        """A query's rough place among the others: the mean of its word vectors, rare words counting more."""
        ids = {
            name: [self._tokenizer.encode_line(pair.query) or [0] for pair in own]
            for name, own in self._by_repository.items()
        }
        seen = np.ones(len(word_vectors))
        for own in ids.values():
            for query in own:
                seen[query] += 1
        weight = np.log(seen.sum() / seen)
        result = {}
        for name, own in ids.items():
            rows = np.stack([(word_vectors[query] * weight[query, None]).sum(0) for query in own])
            result[name] = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)
        return result

    def _choose(self, pair: Pair, longest: int, chance: random.Random) -> Choice:
        text = question_of(pair.query, pair.kind, chance) if chance.random() < 0.3 else pair.query
        ids = self._tokenizer.encode_line(text)[:LONGEST_QUERY] or [0]
        roll = chance.random()
        if roll < 1 / 3:
            ids = drop_ids(ids, set(pair.path_ids.tolist()))
        elif roll < 0.5:
            # Half of the words it shares with the answer: people do not know the names in the code.
            start, end = pair.answers[0]
            shared = sorted(set(ids) & set(pair.ids[start:end].tolist()))
            ids = drop_ids(ids, set(chance.sample(shared, len(shared) // 2)))
        k = chance.choice(self._granularities)
        cuts = [self._answering(pair, k, longest, chance)]
        if len(pair.ids) > 3 * longest and chance.random() < self._second_window:
            cuts.append(Cut(chance.randint(0, len(pair.ids) - longest), longest, k, None))
        return Choice(pair, ids, tuple(cuts))

    def _answering(self, pair: Pair, k: int, longest: int, chance: random.Random) -> Cut:
        answer = chance.choice(pair.answers)
        length = min(chance.randint(min(96, longest), longest), len(pair.ids))
        before = chance.randint(0, max(0, length - 16))
        return Cut(min(max(0, answer[0] - before), len(pair.ids) - length), length, k, answer)

    def _example(self, choice: Choice) -> Example:
        pair = choice.pair
        windows = tuple(self._window(pair, cut) for cut in choice.cuts)
        return Example(pair, self._short(choice.query), self._short(pair.path_ids), windows)

    def _window(self, pair: Pair, cut: Cut) -> Window:
        tokenizer, start, k = self._tokenizer, cut.start, cut.k
        ids, landmarks = layout_window(pair.ids[start : start + cut.length], k, tokenizer.cls_id, tokenizer.landmark_id)

        def chunks(a: int, b: int) -> range:
            return range(max(0, (a - start) // k), min(len(landmarks), -(-(b - start) // k)))

        near = {chunk for a, b in pair.answers for chunk in chunks(a, b)}
        own = next(iter(chunks(*cut.answer)), 0) if cut.answer else None
        return Window(ids, landmarks, own, tuple(sorted(near)))

    def _short(self, ids) -> np.ndarray:
        return layout_window(ids, 256, self._tokenizer.cls_id, self._tokenizer.landmark_id)[0]
