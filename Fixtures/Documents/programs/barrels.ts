import { readFile } from "node:fs/promises";
import type { Listener } from "./listener";

/** A volume of water. */
export type Volume = {
  litres: number;
  unit?: "l" | "gal";
};

export interface Store<T extends object = Record<string, unknown>> {
  append(event: T): Promise<void>;
  readonly size: number;
}

export const enum Material {
  Oak = "oak",
  Steel = "steel {",
}

declare module "barrels" {
  export function version(): string;
  export const build: number;
}

export namespace Gauges {
  export function read(volume: Volume): string {
    return `${volume.litres} ${volume.unit ?? "l"} }`;
  }
}

function logged<T extends new (...args: any[]) => object>(target: T) {
  return class extends target {
    created = Date.now();
  };
}

@logged
export abstract class Barrel<T> implements Store<Volume> {
  static #count = 0;
  readonly size = 0;
  private listeners: Map<string, Listener> = new Map();

  constructor(
    protected readonly capacity: number,
    private content = 0,
  ) {
    Barrel.#count += 1;
  }

  get isFull(): boolean {
    return this.content >= this.capacity;
  }

  async append(event: Volume): Promise<void> {
    const pattern = /[{}]\//g;
    await readFile("events".replace(pattern, ""));
  }

  abstract drain(amount: number): T;

  handle = (event: Volume): void => {
    this.content += event.litres;
    this.listeners.clear();
  };

  static async *events<K extends keyof Volume>(
    key: K,
  ): AsyncGenerator<Volume[K]> {
    yield undefined as never;
  }
}

export function sum(values: number[]): number;
export function sum(values: string[]): number;
export function sum(values: unknown[]): number {
  let total = 0;
  for (const value of values) total += Number(value);
  return total;
}

export const average = async <T,>(values: T[]): Promise<number> => {
  const numbers = values.map(Number);
  return numbers.reduce((left, right) => left + right, 0) / numbers.length;
};

const handlers: Record<string, (event: Volume) => void> = {
  rain(event) {
    console.log(event);
  },
  overflow: (event) => {
    console.warn(event);
  },
};

export default class extends Barrel<void> {
  drain(amount: number): void {
    handlers.rain({ litres: amount });
  }
}

describe("a barrel", () => {
  it("is empty", () => {
    expect(sum([])).toBe(0);
  });
});
