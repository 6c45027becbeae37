#!/usr/bin/env node
const fs = require('fs');

// A barrel {
class Barrel extends Base {
  constructor(litres) {
    super();
    this.litres = litres;
  }

  static async fill(amount) {
    const re = /[{'"]/g;
    return `${amount} {`;
  }
}

function* walk(list) {
  for (const item of list) {
    yield item;
  }
}

const make = (litres) => {
  return new Barrel(litres);
};

describe('x', () => {
  it('works', () => {});
});

module.exports = { make };
