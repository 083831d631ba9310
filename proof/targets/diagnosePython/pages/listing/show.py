"""Pages as text."""


def text_of(listing, number):
    rows = [f"- {item}" for item in listing.page(number)]
    return "\n".join([*rows, listing.footer(number)])
