from web.defaults import headers_for


class Request:
    def __init__(self, path, kind):
        self.path = path
        self.headers = headers_for(kind)

    def with_token(self, token):
        self.headers["authority"] = token
        return self

    def lines(self):
        return [f"GET {self.path}"] + [f"{name}: {self.headers[name]}" for name in sorted(self.headers)]
