"""How a question reads a table that may not fit in memory."""

from enum import IntEnum


class Reads(IntEnum):
    """What is enough to answer a question. Of several questions, the largest one counts."""

    ONCE = 0  # one pass over chunks
    AGAIN = 1  # passes, if the table has all columns and can be read again; otherwise memory
    ROWS = 2  # all rows in memory
