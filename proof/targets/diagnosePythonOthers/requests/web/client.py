from web.request import Request


class Client:
    def prepare(self, path, token=None):
        request = Request(path, "json" if path.endswith(".json") else "page")
        return request.with_token(token) if token else request
