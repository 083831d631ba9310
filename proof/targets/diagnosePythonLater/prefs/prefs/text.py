import json


def loaded(text):
    try:
        return json.loads(text)
    except ValueError:
        return {}
