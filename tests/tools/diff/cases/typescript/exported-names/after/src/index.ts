export interface Options {
  timeout?: number;
}

export enum Level {
  Low = 0,
  High = 2,
}

export function connect(url: string, options: Options, signal: AbortSignal): Client {
  return open(url, options);
}

export function send(client: Client, text: string, end = false): void {
  client.write(text, end);
}

function open(url: string, options: Options): Client {
  return new Client(url, options);
}
