import { field } from './fields.js';

const basics = [field('title'), field('body', 'long')];

export class Form {
  constructor(name, fields = basics) {
    this.name = name;
    this.fields = fields;
  }

  require(name, type) {
    this.fields.push(field(name, type));
    return this;
  }
}
