"""Parts of a list."""


def page_count(total, size):
    return -(-total // size)


def bounds(page, size, total):
    """First and behind the last item of a page, pages from 1 on."""
    first = (page - 1) * size
    return first, min(first + size, total - 1)
