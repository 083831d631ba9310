HEADERS = {"accept": "text/plain"}


def headers_for(kind):
    headers = HEADERS
    headers["kind"] = kind
    return headers
