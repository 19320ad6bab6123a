import express from "express";

const app = express();
const port = process.env.SERVER_PORT ?? 3000;

app.get("/health", (request, response) => response.send("ok"));
app.post("/v1/complete", complete);
app.listen(port);
