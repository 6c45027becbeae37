"use strict";

const path = require("path");

/**
 * A barrel for rain water {.
 */
class Barrel extends Object {
  #content = 0;
  static maximum = 1000;

  constructor(capacity = Barrel.maximum) {
    super();
    this.capacity = capacity;
  }

  static create(...values) {
    return values.map((value) => new Barrel(value));
  }

  get content() {
    return this.#content;
  }

  set content(value) {
    this.#content = value;
  }

  async *events() {
    yield { name: "rain" };
    yield { name: "overflow" };
  }

  ["computed" + 1]() {
    const text = `a ${path.join("{", "b")} }`;
    return text;
  }
}

function sum(values, start = 0) {
  return values.reduce((left, right) => {
    return left + right;
  }, start);
}

async function load(file) {
  const text = await fetch(file);
  return text.json();
}

function* numbers() {
  let value = 0;
  while (true) yield value++;
}

const average = (values) => {
  if (values.length === 0) return 0;
  return sum(values) / values.length;
};

const Gauge = class {
  read() {
    return /[{]/.test("{");
  }
};

Barrel.prototype.drain = function (amount) {
  this.content -= amount;
  return this;
};

module.exports = {
  Barrel,
  sum,
  describe(barrel) {
    return String(barrel.capacity);
  },
};

module.exports.average = async function average(values) {
  const total = sum(values);
  return total / values.length;
};

(function () {
  console.log("loaded");
  console.log(Gauge, load, numbers);
})();

export default function main() {
  const barrel = new Barrel();
  barrel.drain(1);
}
