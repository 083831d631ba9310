import { Form } from './form.js';

export function bugForm() {
  return new Form('bug').require('version').require('steps', 'long');
}

export function ideaForm() {
  return new Form('idea');
}
