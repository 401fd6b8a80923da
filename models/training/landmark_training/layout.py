"""Landmark layout and windows, the same as src/engine/model/landmarkLayout.ts and windows.ts."""

import numpy as np

LEAST_SHARE = 0.3
INSIDE_LINE = 1 << 32
MASK = 0xFFFFFFFF


def landmark_count(tokens: int, k: int) -> int:
    """One landmark a chunk, the last partial one too, and one for no tokens at all."""
    return max(1, -(-tokens // k))


def layout_window(ids, k: int, cls_id: int, landmark_id: int) -> tuple[np.ndarray, np.ndarray]:
    """`[CLS] chunk [LMK] chunk [LMK] …`: the input ids and the positions of the landmarks, both int64."""
    parts = [cls_id]
    landmarks = []
    for start in range(0, max(len(ids), 1), k):
        parts.extend(ids[start : start + k])
        landmarks.append(len(parts))
        parts.append(landmark_id)
    return np.array(parts, np.int64), np.array(landmarks, np.int64)


def chunk_spans(lines, k: int) -> list[tuple[int, int]]:
    """First and last line of each chunk of a window, parallel to its landmarks."""
    spans = [(int(lines[s]), int(lines[min(s + k, len(lines)) - 1])) for s in range(0, len(lines), k)]
    return spans or [(1, 1)]


def window_capacity(window: int, k: int) -> int:
    """Tokens that fit in one input: whole chunks, each with its landmark, behind the first token."""
    return (window - 1) // (k + 1) * k


def cut_windows(ids: np.ndarray, lines: np.ndarray, capacity: int) -> list[tuple[int, int]]:
    """Windows (start, end) of a text, cut at ends of lines that its content chooses; nothing is left out."""
    positions, hashes = _possible_cuts(ids, lines, capacity)
    cuts = []
    stretches = [(0, len(positions) - 1)]
    while stretches:
        first, last = stretches.pop()
        parts = _divide(positions, hashes, first, last, capacity)
        if parts:
            stretches.extend(parts)
        else:
            cuts.append(positions[last])
    cuts.sort()
    return [(cuts[at - 1] if at else 0, end) for at, end in enumerate(cuts)]


def _possible_cuts(ids, lines, capacity):
    positions, hashes, start = [0], [INSIDE_LINE], 0
    count = len(ids)
    for at in range(count):
        is_line_end = at + 1 == count or lines[at] != lines[at + 1]
        if not is_line_end and (at + 1 - start) % capacity:
            continue
        positions.append(at + 1)
        hashes.append(_hash_of(ids[start : at + 1]) if is_line_end else INSIDE_LINE)
        if is_line_end:
            start = at + 1
    if count == 0:
        positions.append(0)
    return positions, hashes


def _hash_of(ids) -> int:
    """FNV-1a over the ids, then the finaliser of MurmurHash3; 32 bits."""
    value = 0x811C9DC5
    for each in ids:
        value = (value ^ int(each)) * 0x01000193 & MASK
    value = (value ^ value >> 16) * 0x85EBCA6B & MASK
    value = (value ^ value >> 13) * 0xC2B2AE35 & MASK
    return value ^ value >> 16


def _divide(positions, hashes, first, last, capacity):
    start, end = positions[first], positions[last]
    if end - start <= capacity:
        return []
    is_long = end - start > 2 * capacity
    margin = LEAST_SHARE * capacity if is_long else end - start - capacity

    def lowest(is_good):
        good = [place for place in range(first + 1, last) if is_good(positions[place])]
        least = min((hashes[place] for place in good), default=None)
        return [place for place in good if hashes[place] == least]

    candidates = lowest(lambda at: at - start >= margin and end - at >= margin) or lowest(lambda at: True)
    chosen = _spread(candidates, positions, first, last, capacity) if is_long else candidates[-1:]
    ends = [*chosen, last]
    return [(ends[at - 1] if at else first, each) for at, each in enumerate(ends)]


def _spread(candidates, positions, first, last, capacity):
    """Of equal lines the last that still fits in one window after the cut before, until the rest fits."""
    chosen, cut = [], positions[first]
    for at, place in enumerate(candidates):
        if positions[last] - cut <= capacity:
            break
        if at + 1 < len(candidates) and positions[candidates[at + 1]] - cut <= capacity:
            continue
        chosen.append(place)
        cut = positions[place]
    return chosen
