import { missing } from './check.js';
import { bugForm, ideaForm } from './forms.js';

export class Desk {
  constructor() {
    this.forms = { bug: bugForm(), idea: ideaForm() };
  }

  file(kind, ticket) {
    const lacking = missing(this.forms[kind], ticket);
    return lacking.length === 0 ? 'filed' : `lacks ${lacking.join(', ')}`;
  }
}
