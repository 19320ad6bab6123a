class Server:
    def _add_routes(self):
        self.app.router.add_get("/route", self._handle_route)

    async def _handle_route(self, request):
        rank = request.query.get("engine_rank")
        group = request.query.get("target_group")
        if not rank or not group:
            return refuse(400)
        return self.find(rank, group)
