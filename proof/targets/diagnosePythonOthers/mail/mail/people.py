from mail.address import AddressError, address


def addresses(people):
    found = []
    try:
        for person in people:
            found.append(address(person["mail"]))
    except AddressError:
        pass
    return found
