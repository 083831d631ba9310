"""Tags of notes."""

from notes.words import is_tag, words


def tags_of(text, found=[]):
    """Tags in the order in which they are first met."""
    for word in words(text):
        if is_tag(word) and word[1:] not in found:
            found.append(word[1:])
    return found
