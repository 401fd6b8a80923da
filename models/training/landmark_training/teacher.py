"""What words and paths say of each text: with the model's own cosines, the fused ranking that is distilled into it.

The teacher reads the query as it was written, also where words were dropped from what the model is given.
"""

import numpy as np
import torch

from .lexical import LENGTH, SATURATION
from .pairs import Pair, by_repository
from .tokens import TextTokenizer

# What a text, or a path, that has all words of the query counts, beside cosines divided by the temperature.
TEXT, PATH = 12.0, 5.0


class WordTeacher:
    """BM25 of token ids within each repository, of texts and of paths."""

    def __init__(self, pairs: list[Pair], tokenizer: TextTokenizer):
        self._tokenizer = tokenizer
        self._by_repository = by_repository(pairs)
        self._columns = {id(pair): at for own in self._by_repository.values() for at, pair in enumerate(own)}
        self._tables: dict[tuple[str, str], tuple[torch.Tensor, torch.Tensor]] = {}

    def bonuses(self, queries: list[Pair], texts: list[Pair]) -> torch.Tensor | None:
        """`[queries, texts]`, from 0 to TEXT + PATH; None for a batch of several repositories."""
        repository = queries[0].repository
        if any(pair.repository != repository for pair in queries):
            return None
        columns = [self._columns[id(pair)] for pair in texts]
        ids = [np.unique(self._tokenizer.encode_line(pair.query) or [0]) for pair in queries]
        return TEXT * self._shares(repository, "ids", ids, columns) + PATH * self._shares(
            repository, "path_ids", ids, columns
        )

    def _shares(self, repository: str, part: str, queries: list[np.ndarray], columns: list[int]) -> torch.Tensor:
        """BM25 over the most that the query's words could give."""
        table, rarity = self._table(repository, part)
        rows = torch.zeros(len(queries), len(rarity))
        for row, ids in zip(rows, queries):
            row[ids] = rarity[ids]
        scores = torch.sparse.mm(table, rows.T).T[:, columns]
        return scores / rows.sum(1, keepdim=True).clamp(min=1e-6) / (SATURATION + 1)

    def _table(self, repository: str, part: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights `[texts, ids]`, and how rare each id is."""
        key = (repository, part)
        if key not in self._tables:
            self._tables[key] = _weights_of([getattr(pair, part) for pair in self._by_repository[repository]])
        return self._tables[key]


def _weights_of(texts: list[np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
    size = np.iinfo(np.uint16).max + 1
    mean = max(1.0, float(np.mean([len(text) for text in texts])))
    holding = np.zeros(size)
    places, values = [], []
    for at, text in enumerate(texts):
        ids, counts = np.unique(text, return_counts=True)
        holding[ids] += 1
        norm = 1 - LENGTH + LENGTH * len(text) / mean
        places.append(np.stack([np.full(len(ids), at), ids.astype(np.int64)]))
        values.append(counts * (SATURATION + 1) / (counts + SATURATION * norm))
    rarity = np.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
    table = torch.sparse_coo_tensor(
        np.concatenate(places, 1), np.concatenate(values).astype(np.float32), (len(texts), size), check_invariants=True
    )
    return table.coalesce(), torch.from_numpy(rarity.astype(np.float32))
