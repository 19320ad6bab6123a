export interface Options {
  retries: number;
  timeout?: number;
}

export enum Level {
  Low = 1,
  High = 2,
}

export function connect(url: string, options: Options): Client {
  return open(url, options);
}

export function send(client: Client, text: string): void {
  client.write(text);
}

export function close(client: Client): void {
  client.end();
}

function open(url: string, options: Options): Client {
  return new Client(url, options);
}
