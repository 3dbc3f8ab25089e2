"""memplan as an allocator of omnimalloc's (PyPI omnimalloc 1.0): importing this module registers "memplan".

    >>> import omnimalloc, memplan.omnimalloc
    >>> allocator = memplan.omnimalloc.MemplanAllocator(planner="first-fit-decreasing")
"""

from __future__ import annotations

from typing import Any, Optional, Tuple

from omnimalloc.allocators.base import BaseAllocator

import memplan


class MemplanAllocator(BaseAllocator):
    """Plans by any of memplan's planners; offsets that are set are pins. time_limit is in seconds."""

    supports_pinned = True

    def __init__(self, planner: str = "exact", time_limit: Optional[float] = 10.0, seed: int = 0) -> None:
        self._planner, self._time_limit, self._seed = planner, time_limit, seed

    def _allocate(self, allocations: Tuple[Any, ...]) -> Tuple[Any, ...]:
        plan = memplan.plan([(a.start, a.end, a.size, 1, a.offset) for a in allocations],
                            planner=self._planner, time_limit=self._time_limit, seed=self._seed)
        return tuple(a.with_offset(at) for a, at in zip(allocations, plan))
