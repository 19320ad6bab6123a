import express from "express";

const app = express();
const port = process.env.PORT ?? 3000;

app.get("/health", (request, response) => response.send("ok"));
app.listen(port);
