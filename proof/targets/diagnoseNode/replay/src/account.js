export class Account {
  constructor() {
    this.balance = 0;
    this.refused = [];
  }

  apply({ time, kind, amount }) {
    if (kind === 'deposit') this.balance += amount;
    else if (amount > this.balance) this.refused.push(time);
    else this.balance -= amount;
  }
}
