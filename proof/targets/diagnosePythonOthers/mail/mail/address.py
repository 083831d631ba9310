class AddressError(ValueError):
    pass


def address(text):
    name, sign, host = text.partition("@")
    if not sign or "." not in host:
        raise AddressError(text)
    return f"{name}@{host.lower()}"
