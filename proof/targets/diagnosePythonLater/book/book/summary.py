from book.chapters import chapters


def longest(text):
    return max(chapters(text), key=lambda chapter: chapter.pages)


def whole(text):
    return sum(chapter.pages for chapter in chapters(text))
