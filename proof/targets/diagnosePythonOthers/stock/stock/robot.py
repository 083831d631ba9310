class Robot:
    def __init__(self, name, shelf):
        self.name = name
        self.shelf = shelf

    async def put(self, pieces):
        before = await self.shelf.count()
        await self.shelf.set(before + pieces)
        return pieces
